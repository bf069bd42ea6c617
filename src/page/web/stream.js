// A stream of events from the server, while this tab is in sight. A browser has six connections to a server for all of its
// tabs: hidden ones would leave the seventh none. What a tab has missed comes when it is looked at again.

import * as api from "./api.js";

const STILL_MS = 240000; // between two signs of a hidden tab: the server keeps requests whole while somebody looks

export class Stream {
    /** By the name of an event, what is called with it. */
    constructor(address, listeners) {
        Object.assign(this, { address, listeners, last: "", source: null, still: 0 });
        this.look = () => (document.hidden ? this.hide() : this.open());
        document.addEventListener("visibilitychange", this.look);
        this.look();
    }

    open() {
        clearInterval(this.still);
        if (this.source)
            return;
        this.source = new EventSource(`/page/${this.address}${this.last ? `?since=${this.last}` : ""}`);
        for (const [name, listener] of Object.entries(this.listeners))
            this.source.addEventListener(name, (event) => {
                this.last = event.lastEventId || this.last;
                listener(event);
            });
    }

    hide() {
        this.close();
        this.still = setInterval(() => api.get("me").catch(() => {}), STILL_MS);
    }

    close() {
        clearInterval(this.still);
        this.source?.close();
        this.source = null;
    }

    /** Nothing comes any more. */
    stop() {
        document.removeEventListener("visibilitychange", this.look);
        this.close();
    }
}
