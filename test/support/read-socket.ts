import { Socket } from 'node:net';

/** A socket whose handle only records whether it is read. */
export class ReadSocket extends Socket {
    isRead = true;
    _handle = {
        readStart: () => {
            this.isRead = true;
        },
        readStop: () => {
            this.isRead = false;
        },
    };
}
