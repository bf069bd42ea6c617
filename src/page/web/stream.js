// A stream of events from the server, while this tab is in sight. A browser has six connections to a server for all of its
// tabs: hidden ones would leave the seventh none. What a tab has missed comes when it is looked at again.

import * as api from "./api.js";

const STILL_MS = 240000; // between two signs of a hidden tab: the server keeps requests whole while somebody looks

const SILENT_MS = 40000; // the server says something every fifteen seconds

export class Stream {
    /** By the name of an event, what is called with it; "silent", where nothing comes for long, and it is tried again. */
    constructor(address, listeners) {
        Object.assign(this, { address, listeners, last: "", source: null, still: 0, silence: 0 });
        this.look = () => (document.hidden ? this.hide() : this.open());
        document.addEventListener("visibilitychange", this.look);
        this.look();
    }

    open() {
        clearInterval(this.still);
        if (this.source)
            return;
        this.source = new EventSource(`/page/${this.address}${this.last ? `?since=${this.last}` : ""}`);
        for (const [name, listener] of Object.entries({ still: () => {}, ...this.listeners }))
            this.source.addEventListener(name, (event) => {
                this.last = event.lastEventId || this.last;
                this.hear();
                listener(event);
            });
        this.hear();
    }

    /** The server lives. One that says nothing for long does not, whatever its connection is. */
    hear() {
        clearTimeout(this.silence);
        this.silence = setTimeout(() => {
            this.close();
            this.listeners.silent?.();
            this.open();
        }, SILENT_MS);
    }

    hide() {
        this.close();
        this.still = setInterval(() => api.get("me").catch(() => {}), STILL_MS);
    }

    close() {
        clearInterval(this.still);
        clearTimeout(this.silence);
        this.source?.close();
        this.source = null;
    }

    /** Nothing comes any more. */
    stop() {
        document.removeEventListener("visibilitychange", this.look);
        this.close();
    }
}
