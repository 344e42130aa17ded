// Each entry point imports this first, before any module that needs a newer Node than the machine may have.
if (Number(process.versions.node.split('.')[0]) < 24) {
    console.error(
        `This needs Node 24 or newer, but ${process.execPath} is ${process.versions.node}.\n` +
            'Start it with "npm start" (or "npm run start:cluster"), which brings its own Node, or install Node 24.',
    );
    process.exit(1);
}
