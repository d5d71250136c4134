export type Kind = 'ascii' | 'mixed' | 'chinese' | 'arabic' | 'hindi' | 'emoji sequences';

/** Categories as JSON, in texts of the world: what is quick in English may be slow in other scripts. */
export const kinds: Readonly<Record<Kind, (n: number) => string>> = {
  ascii: (n) => categoryText(n, `category ${n}`, `number ${n}, of many`),
  /** Each 50th is in French and Chinese. */
  mixed: (n) =>
    n % 50 === 0 ? categoryText(n, `catégorie 猫 ${n}`, `number ${n}, of many`) : kinds.ascii(n),
  chinese: (n) => categoryText(n, `类别编号是 ${n}`, `第 ${n} 个，共有很多个`),
  arabic: (n) => categoryText(n, `الفئة رقم ${n}`, `الرقم ${n} من العديد`),
  hindi: (n) => categoryText(n, `श्रेणी ${n}`, `बहुत में से ${n}`),
  'emoji sequences': (n) => categoryText(n, `family 👩‍👩‍👧 ${n}`, `number ${n}, of many`),
};

/** The id of one in ten is beyond what a double can tell from its neighbours. */
function categoryText(n: number, name: string, description: string): string {
  const id = n % 10 === 0 ? 9_007_199_254_740_993n + BigInt(n) : n;
  return `{"id":${id},"name":"${name}","description":"${description}"}`;
}
