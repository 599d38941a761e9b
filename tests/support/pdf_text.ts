/** The text of a PDF as pdfmake writes it: flat objects, Flate streams, and fonts that say what their codes mean. */

const latin = new TextDecoder("latin1");

/** All text of all pages, piece after piece as it is drawn. A space is where a line or a run ends. */
export async function pdfText(pdf: Uint8Array<ArrayBuffer>): Promise<string> {
  const file = latin.decode(pdf);
  const objects = new Map(
    [...file.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id, body]) => [id!, body!]),
  );
  const fonts = new Map<string, ReadonlyMap<string, string>>();
  for (const [, name, id] of file.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const [, unicode] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!)!)!;
    fonts.set(name!, codesOf(await streamOf(objects.get(unicode!)!)));
  }
  const pages = [...file.matchAll(/\/Contents (\d+) 0 R/g)].map(([, id]) => objects.get(id!)!);
  const texts = await Promise.all(pages.map(async (page) => textOf(await streamOf(page), fonts)));
  return texts.join(" ");
}

async function streamOf(object: string): Promise<string> {
  const [, dictionary, data] = /^([\s\S]*?)stream\n([\s\S]*)\nendstream/.exec(object)!;
  const bytes = Uint8Array.from(data!, (letter) => byteOf(letter));
  if (!dictionary!.includes("/FlateDecode")) return latin.decode(bytes);
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return latin.decode(await new Response(inflated).bytes());
}

/** What `latin1` calls that decoder is windows-1252, which has letters beyond one byte. */
const BYTES = new Map(
  Array.from({ length: 256 }, (_, byte) => [latin.decode(new Uint8Array([byte])), byte]),
);
function byteOf(letter: string): number {
  return BYTES.get(letter)!;
}

/** The letters of a font by their codes: `<0000> <0002> [<0041> <0042> <0043>]`. */
function codesOf(map: string): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  for (const [, first, , letters] of map.matchAll(/<(\w{4})> <(\w{4})> \[([^\]]*)\]/g)) {
    [...letters!.matchAll(/<(\w+)>/g)].forEach(([, hex], index) => {
      const code = (parseInt(first!, 16) + index).toString(16).padStart(4, "0");
      const units = hex!.match(/\w{4}/g)!.map((unit) => parseInt(unit, 16));
      codes.set(code, String.fromCharCode(...units));
    });
  }
  return codes;
}

function textOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let codes: ReadonlyMap<string, string> = new Map();
  const pieces: string[] = [];
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font) codes = fonts.get(font)!;
    else {
      const hex = [...shown!.matchAll(/<(\w*)>/g)].map(([, part]) => part).join("");
      pieces.push((hex.match(/\w{4}/g) ?? []).map((code) => codes.get(code) ?? "").join(""));
    }
  }
  return pieces.join("");
}
