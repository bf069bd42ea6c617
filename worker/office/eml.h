/* Messages, as mail programs keep them: shared by .eml and .msg. */
#ifndef RF_OFFICE_EML_H
#define RF_OFFICE_EML_H

#include "worker/office/prose.h"

/* A line "- name (type, 12 KB)" of the list of attachments. */
void rf_eml_attachment(struct rf_prose *p, struct rf_str name, struct rf_str type, uint64_t size);
/* A line "Subject: …" of the head; nothing where the value is empty. */
void rf_eml_line(struct rf_prose *p, const char *label, struct rf_str value);

#endif
