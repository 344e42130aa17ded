import { setFlagsFromString } from 'node:v8';

// Loaded ahead of a process whose heap is to be searched: a snapshot would else hold the first 1,024 characters of each string.
setFlagsFromString('--heap-snapshot-string-limit=4194304');
