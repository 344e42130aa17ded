import { createServer } from 'node:net';

/**
 * Listens on ports that the processes of npm start will share, and closes each connection. `shared-port.ts` starts it, so
 * the launcher holds the sockets from the beginning of the start.
 */
const { HOST, PORTS = '' } = process.env;
for (const port of PORTS.split(',')) createServer((socket) => socket.destroy()).listen(Number(port), HOST);
