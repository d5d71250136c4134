import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import { positionAfter } from '../../json/position.ts';
import { quoted } from './faults.ts';
import { isRowField, type RowField, type Rows, rowFields } from './rows.ts';

/** A fault at an offset of the item's text; at the item itself where that is undefined. */
class Wrong extends Error {
  constructor(
    readonly offset: number | undefined,
    reason: string,
  ) {
    super(reason);
  }
}

/** Takes the YAML of one item: a sequence of one mapping, whose text begins with that line and whose dash is in that column. */
export function takeItem(rows: Rows, text: string, line: number, column: number): void {
  const positionAt = (offset: number | undefined) =>
    offset === undefined ? { line, column } : positionAfter({ line, column: 1 }, text, 0, offset);
  const fields: { [field in RowField]?: string } = {};
  const offsets = new Map<RowField, number>();
  try {
    for (const { name, value } of pairsOf(text)) {
      if (name === 'id') rows.passOverIds('field');
      else {
        fields[name] = value.text;
        offsets.set(name, value.offset);
      }
    }
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    rows.addFault(positionAt(error.offset), error.message);
    return;
  }
  rows.add(positionAt(undefined), fields, (field) => positionAt(offsets.get(field)));
}

type Value = { readonly text: string; readonly offset: number };
type Field =
  | { readonly name: RowField; readonly value: Value }
  | { readonly name: 'id'; readonly value?: undefined };

/** More brackets open at once take the parser seconds and hundreds of megabytes; no text for people has as many. */
const mostOpen = 10_000;

/** @throws Wrong */
function refuseDepth(text: string): void {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    if (open > mostOpen) throw new Wrong(undefined, 'nested too deeply');
  }
}

/** @throws Wrong */
function* pairsOf(text: string): Generator<Field> {
  refuseDepth(text);
  // What readers of YAML 1.1 take for something else than a text is a warning.
  const document = parseDocument(text, {
    schema: 'core',
    compat: 'yaml-1.1',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  refuseErrors(document);
  const item = isSeq(document.contents) ? document.contents.items[0] : undefined;
  refuseSpecial(item);
  if (!isMap<unknown, unknown>(item)) {
    throw new Wrong(offsetOf(item), 'must be a mapping such as "name: rabbit"');
  }
  const seen = new Set<string>();
  for (const { key, value } of item.items as Pair[]) {
    refuseSpecial(key);
    const name = isScalar(key) ? String(key.value) : '';
    if (name !== 'id' && !isRowField(name)) {
      throw new Wrong(
        offsetOf(key),
        `unknown field ${quoted(name)}; fields: ${rowFields.join(', ')}`,
      );
    }
    if (seen.size === seen.add(name).size) {
      throw new Wrong(offsetOf(key), `duplicate field "${name}"`);
    }
    refuseSpecial(value);
    yield name === 'id' ? { name } : { name, value: textOf(name, value, offsetOf(key), document) };
  }
}

function refuseErrors({ errors }: Document): void {
  const [error] = errors;
  if (!error) return;
  const { code, pos } = error;
  if (code === 'BAD_ALIAS' || code === 'ALIAS_PROPS') throw new Wrong(pos[0], special.alias);
  if (code === 'TAG_RESOLVE_FAILED') throw new Wrong(pos[0], special.tag);
  // It comes from the call stack.
  if (code === 'RESOURCE_EXHAUSTION') throw new Wrong(undefined, 'nested too deeply');
  // What follows a colon quotes the text.
  const [message = ''] = error.message.replace(/["']quote$/, 'quote').split(': ');
  throw new Wrong(pos[0], `invalid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`);
}

const special = {
  alias: 'aliases are not supported',
  anchor: 'anchors are not supported',
  tag: 'tags are not supported',
};

/** What would make a text out of other parts, or something else of it. @throws Wrong */
function refuseSpecial(node: unknown): void {
  if (!isNode(node)) return;
  const offset = offsetOf(node);
  if (isAlias(node)) throw new Wrong(offset, special.alias);
  if (node.anchor !== undefined) throw new Wrong(offset, special.anchor);
  if (node.tag !== undefined) throw new Wrong(offset, special.tag);
}

/** @throws Wrong where it is no text for every reader of YAML */
function textOf(
  name: RowField,
  node: unknown,
  offset: number | undefined,
  { warnings }: Document,
): Value {
  if (!isScalar(node)) throw new Wrong(offsetOf(node) ?? offset, `${name} must be text`);
  const { value, source, range } = node as Scalar & { source?: string };
  const [start = 0, end = 0] = range ?? [];
  if (value === null && source === '') {
    throw new Wrong(offset, `${name} is missing a value; for an empty text: ${name}: ""`);
  }
  const isOther = warnings.some(({ pos: [at] }) => at >= start && at < end);
  if (typeof value === 'string' && !isOther) return { text: value, offset: start };
  throw new Wrong(start, `${name} must be text; put it in quotes`);
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
