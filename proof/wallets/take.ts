import '../../deploy/local/node-version.ts';
import { execFileSync } from 'node:child_process';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startFront } from './front.ts';

/*
 * `npm run proof -- take LINK [CODE]`: takes what an offer has with a wallet that others have written, and prints it. If
 * the link leads to this machine and nobody listens there, this program ends TLS in front of the service at CRED_URL.
 */

const OWN_SERVICE = 'http://127.0.0.1:8080';

/** Where the service of an offer is. Throws an Error if the link is none of an offer. */
function serviceOf(link: string): URL {
    const offer = URL.canParse(link) ? new URL(link).searchParams.get('credential_offer_uri') : null;
    if (offer === null || !URL.canParse(offer)) throw new Error('Usage: npm run proof -- take LINK [CODE]');
    return new URL(offer);
}

/** Lets this program trust what it answers itself. Undefined if another program listens there. */
async function frontOf({ hostname, port }: URL, gateway: string) {
    if (hostname !== 'localhost') return undefined;
    const front = await startFront(Number(port) || 443).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') return undefined;
        throw error;
    });
    front?.leadTo(gateway);
    if (front) setDefaultCACertificates([...getCACertificates(), front.ca]);
    return front;
}

async function main([link = '', txCode]: readonly string[]): Promise<void> {
    const service = serviceOf(link);
    execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: import.meta.dirname, stdio: 'inherit' });
    const { credoWallet } = await import('./credo-wallet.ts'); // not before it is installed
    const front = await frontOf(service, process.env['CRED_URL'] ?? OWN_SERVICE);
    const wallet = await credoWallet();
    try {
        for (const { compact, claims } of await wallet.take(link, txCode === undefined ? {} : { txCode })) {
            console.log(JSON.stringify(claims, undefined, 2));
            console.log(compact);
        }
    } finally {
        await wallet.close();
        front?.close();
    }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
});
