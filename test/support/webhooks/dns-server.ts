import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { groupsOf } from '../../../platform/access/networks.ts';

/** The types of questions that it answers (RFC 1035, RFC 3596). */
const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };
/** The type of a record that names an alias. */
const CNAME = 5;

/** The addresses of a name, or the name for which it is an alias. Undefined: the server keeps silent. */
type Zone = (name: string, type: 'A' | 'AAAA') => readonly string[] | undefined;

/** Starts a DNS server on a port of 127.0.0.1. `server` is its address for dns.Resolver. */
export async function dnsServer(zone: Zone): Promise<{ server: string; close(): void }> {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address }) => {
        const { name, type, end } = questionOf(question);
        const addresses = zone(name, TYPES[type] ?? 'A');
        if (addresses) socket.send(answerTo(question.subarray(0, end), type, addresses), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return { server: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
    const labels: string[] = [];
    let at = 12;
    for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
        labels.push(message.toString('latin1', at + 1, at + 1 + length));
        at += 1 + length;
    }
    return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, addresses: readonly string[]): Buffer {
    const head = Buffer.from(question);
    head.writeUInt16BE(0x8180, 2); // an answer without an error
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8); // no further records
    return Buffer.concat([head, ...addresses.map((address) => record(type, address))]);
}

/** The name is that of the question; the answer may be kept for no time. */
function record(type: number, address: string): Buffer {
    const data = dataOf(address);
    return Buffer.from([0xc0, 12, 0, isIP(address) ? type : CNAME, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
}

function dataOf(address: string): number[] {
    if (isIP(address) === 4) return address.split('.').map(Number);
    if (isIP(address) === 6) return groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]);
    return [...address.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]), 0];
}
