import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UnorderedList } from '../../../platform/unordered-list.ts';

const newItem = (name: string) => ({ name, index: -1 });

it('an unordered list has the items that were added and not removed', () => {
    const list = new UnorderedList<{ name: string; index: number }>();
    const [a, b, c, d] = [newItem('a'), newItem('b'), newItem('c'), newItem('d')];
    const names = () => Array.from(list, ({ name }) => name).sort();
    for (const item of [a, b, c]) list.add(item);
    list.remove(b);
    list.remove(b);
    list.remove(d);
    assert.deepEqual([names(), list.size], [['a', 'c'], 2]);
    list.add(d);
    list.remove(d);
    list.remove(a);
    list.add(b);
    assert.deepEqual([names(), list.size], [['b', 'c'], 2]);
});

it('an unordered list may change while its items are visited', () => {
    const list = new UnorderedList<{ name: string; index: number }>();
    for (const name of ['a', 'b', 'c']) list.add(newItem(name));
    const visited: string[] = [];
    for (const item of list) {
        visited.push(item.name);
        list.remove(item);
    }
    assert.deepEqual([visited, list.size], [['a', 'b', 'c'], 0]);
});
