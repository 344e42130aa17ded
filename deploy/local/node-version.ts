// Each entry point imports this first, before any module that needs a newer Node than the machine may have.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
    console.error(
        `This needs Node 24.16 or newer, but ${process.execPath} is ${process.versions.node}.\n` +
            'Start it with "npm start" (or "npm run start:cluster"), which brings its own Node, or install Node 24.16.',
    );
    process.exit(1);
}
