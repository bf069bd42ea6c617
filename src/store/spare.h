/* A file that holds some room on the disk, to be given up when there is none left: what takes a
 * session away writes a little before it frees anything. */
#ifndef RF_STORE_SPARE_H
#define RF_STORE_SPARE_H

#include <stdbool.h>

/* Make it, where it is not there and there is room for it. */
void rf_spare_keep(const char *path);
/* Was there one to give up? Takes NULL. */
bool rf_spare_give(const char *path);

#endif
