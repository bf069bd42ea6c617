/* Text into the clipboard: through the terminal (OSC 52), which reaches the desktop of somebody who
 * is here over the network, where the terminal allows it; and by a program of the desktop. */
#include "chat/parts.h"

#include "clipboard.h"

enum rf_chat_copied rf_chat_copy(struct rf_chat *c, struct rf_str text)
{
    bool by_terminal = !c->plain && rf_tty_copy(&c->tty, text);
    if (rf_clipboard_put(text))
        return RF_CHAT_COPIED;
    return by_terminal ? RF_CHAT_COPIED_TERMINAL : RF_CHAT_COPIED_NOWHERE;
}
