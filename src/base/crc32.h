/* CRC-32 as in zip, Ethernet and the AWS event stream. */
#ifndef RF_BASE_CRC32_H
#define RF_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t rf_crc32(const void *p, size_t n);

#endif
