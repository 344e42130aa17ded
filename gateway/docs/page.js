// Runs in the browser: copies samples, and finds and opens operations. Without it the pages still show everything.

for (const sample of document.querySelectorAll('pre')) {
    sample.textContent = sample.textContent.replace(/^URL=.*/, `URL=${location.origin}`);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(sample, button));
    const box = document.createElement('div');
    box.className = 'sample';
    sample.replaceWith(box);
    box.append(sample, button);
}

async function copy(sample, button) {
    try {
        await navigator.clipboard.writeText(sample.textContent);
        button.textContent = 'Copied';
    } catch {
        // Browsers let a page write to the clipboard only if it came over https or from this machine.
        getSelection().selectAllChildren(sample);
        button.textContent = 'Selected';
    }
    setTimeout(() => {
        button.textContent = 'Copy';
    }, 2_000);
}

const search = document.getElementById('search');
if (search) {
    const operations = Array.from(document.querySelectorAll('details'), (shown) => ({
        shown,
        link: document.querySelector(`nav a[href="#${shown.id}"]`).parentElement,
        names: `${shown.id} ${shown.querySelector('summary').textContent}`.toLowerCase(),
        text: shown.textContent.toLowerCase(),
    }));
    const found = document.getElementById('found');

    /** Shows the operations whose names have all words that were typed. If there are none, those whose texts have them. */
    const find = () => {
        const words = search.value.toLowerCase().split(/\s+/);
        const having = (part) => operations.filter((each) => words.every((word) => each[part].includes(word)));
        const named = having('names');
        const matching = new Set(named.length > 0 ? named : having('text'));
        for (const each of operations) {
            each.shown.hidden = !matching.has(each);
            each.link.hidden = each.shown.hidden;
        }
        for (const group of document.querySelectorAll('.group'))
            group.hidden = group.querySelector('details, li') && !group.querySelector(':is(details, li):not([hidden])');
        found.textContent = search.value === '' ? '' : `${matching.size} of ${operations.length} operations`;
        if (search.value !== '') document.getElementById('operations').scrollIntoView();
    };

    /** Opens the operation that a link names, and scrolls to it. */
    const open = (hash) => {
        const target = document.getElementById(hash.slice(1));
        if (target?.localName !== 'details') return;
        if (target.hidden) {
            search.value = '';
            find();
        }
        target.open = true;
        target.scrollIntoView();
    };

    search.hidden = false;
    search.addEventListener('input', find);
    addEventListener('keydown', (event) => {
        if (event.key !== '/' || event.target === search) return;
        event.preventDefault();
        search.focus();
    });
    addEventListener('hashchange', () => open(location.hash));
    addEventListener('click', (event) => {
        const link = event.target.closest('a[href^="#"]');
        if (link) open(link.hash); // also if the address has this hash already
    });
    // The address always names the operation that was opened last, so that it can be passed on.
    addEventListener(
        'toggle',
        ({ target }) => {
            if (target.open) history.replaceState(null, '', `#${target.id}`);
        },
        true,
    );
    open(location.hash);
}
