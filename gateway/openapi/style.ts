/** The style sheet of the reference page. The page's Content-Security-Policy allows only this one, by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: light-dark(#57606a, #9aa4af); --link: light-dark(#0b57d0, #8ab4f8);
  --get: light-dark(#0b6bcb, #6cb2ff); --post: light-dark(#1a7f37, #56d364); --patch: light-dark(#9a6700, #e3b341); --delete: light-dark(#c62828, #ff8a80); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; background: light-dark(#fff, #15181c); color: light-dark(#1f2328, #e6e6e6);
  display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font: 13px/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; }
code { background: var(--soft); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; margin: .4rem 0 1rem; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.2rem; border-right: 1px solid var(--line); background: var(--soft); font-size: 13.5px; }
nav h2 { font-size: 12px; letter-spacing: .04em; text-transform: uppercase; color: var(--dim); margin: 1.1rem 0 .2rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .1rem 0; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 68rem; min-width: 0; }
h1 { margin: 0; } h1 small { font-size: 1rem; font-weight: normal; color: var(--dim); }
h2 { margin: 3rem 0 0; } h4 { margin: 1.1rem 0 .3rem; font-size: 14px; }
section > p { color: var(--dim); margin: .2rem 0 1rem; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0; }
summary { cursor: pointer; padding: .6rem .9rem; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; list-style: none; }
summary:hover, details[open] > summary { background: var(--soft); }
summary .title { margin-left: auto; color: var(--dim); }
summary .path { background: none; font-weight: 600; overflow-wrap: anywhere; }
.body { padding: .3rem 1.1rem 1rem; border-top: 1px solid var(--line); }
.method { font: 700 12px/1 ui-monospace, monospace; width: 4rem; } .GET { color: var(--get); } .POST { color: var(--post); }
.PATCH { color: var(--patch); } .DELETE { color: var(--delete); }
table { border-collapse: collapse; width: 100%; font-size: 14px; } td, th { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-size: 12px; color: var(--dim); font-weight: 600; } td:first-child { white-space: nowrap; }
.must { color: var(--delete); font-size: 12px; } .dim { color: var(--dim); }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } td, td:first-child { white-space: normal; overflow-wrap: anywhere; } }
`;
