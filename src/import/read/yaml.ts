import type { Position } from '../../json/position.ts';
import { stopAt } from './faults.ts';
import type { Reader, Rows } from './rows.ts';
import { takeItem } from './yaml-item.ts';

/** Longest item, in characters. */
const maxItem = 1024 * 1024;

/** What follows has no meaning of its own. */
const nothing = /^[ \t]*(?:#.*)?$/;
const marker = /^(---|\.\.\.)(?:[ \t](.*))?$/;
const dash = /^( *)-(?:[ \t]|$)/;

/**
 * Reads one YAML document that is a block sequence of mappings, as output/yaml.ts writes it, item by item. All that belongs to an
 * item is indented deeper than its dash, so that another dash below the first one begins the next item, whatever is in this one.
 */
export function createYamlReader(rows: Rows): Reader {
  let line = 0;
  let begun = '';
  let state: 'start' | 'document' | 'ended' = 'start';
  /** Where the dashes are, in spaces. */
  let indent: number | undefined;
  let item: { text: string; readonly line: number } | undefined;

  return {
    read(text) {
      const [first = '', ...others] = text.split(/\r?\n/);
      extend(first);
      for (const next of others) {
        takeLine();
        extend(next);
      }
    },
    end() {
      takeLine();
      finishItem();
    },
  };

  function extend(text: string): void {
    begun += text;
    if (begun.length > maxItem)
      throw stopAt({ line: line + 1, column: 1 }, 'line longer than 1 MiB');
  }

  function takeLine(): void {
    const text = begun;
    begun = '';
    line += 1;
    if (nothing.test(text)) extendItem(text);
    else if (marker.test(text)) takeMarker(text);
    else takeContent(text);
  }

  function takeMarker(text: string): void {
    const [, kind, rest = ''] = marker.exec(text) ?? [];
    finishItem();
    if (state === 'ended' || (kind === '---' && state !== 'start')) throw moreDocuments(text);
    state = kind === '---' ? 'document' : 'ended';
    if (!nothing.test(rest)) throw stopAt(startOf(text), expectedList);
  }

  function takeContent(text: string): void {
    const [, spaces] = dash.exec(text) ?? [];
    const depth = text.search(/[^ ]/);
    if (state === 'ended') throw moreDocuments(text);
    if (item === undefined) {
      if (text.startsWith('%')) throw stopAt(startOf(text), 'directives are not supported');
      if (/^ *\[ *\] *(?:#.*)?$/.test(text)) {
        state = 'ended';
        return;
      }
      if (spaces === undefined) throw stopAt(startOf(text), expectedList);
    }
    state = 'document';
    indent ??= depth;
    if (spaces?.length === indent) {
      finishItem();
      item = { text, line };
    } else if (depth > indent) {
      extendItem(text);
    } else {
      throw stopAt(startOf(text), 'expected "- ", or the fields of an item indented below it');
    }
  }

  function extendItem(text: string): void {
    if (!item) return;
    item.text += `\n${text}`;
    if (item.text.length <= maxItem) return;
    throw stopAt({ line: item.line, column: (indent ?? 0) + 1 }, 'item longer than 1 MiB');
  }

  function finishItem(): void {
    if (item) takeItem(rows, item.text, item.line, (indent ?? 0) + 1);
    item = undefined;
  }

  function moreDocuments(text: string) {
    return stopAt(startOf(text), 'a file must be one YAML document');
  }

  function startOf(text: string): Position {
    return { line, column: text.search(/[^ ]/) + 1 };
  }
}

const expectedList = 'expected a YAML list such as "- name: dog"';
