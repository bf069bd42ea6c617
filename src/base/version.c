#include <refract/version.h>

const char *rf_version(void)
{
    return RF_VERSION;
}
