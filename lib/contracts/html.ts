/**
 * Sets a contract as one page of HTML that needs nothing else, for an outside print service.
 * @module
 */
import type { Block, ContractDocument, FooterRun, Run, SignatureSide } from "./document.ts";

/** The page. Numbers of pages are left to the service, by counters of CSS Paged Media. */
export function documentHtml({ title, blocks, footer }: ContractDocument): string {
  return `<!DOCTYPE html>
<html lang="ru">
<head>
<meta charset="utf-8">
<title>${escaped(title)}</title>
<style>${STYLE}
@page { @bottom-left { content: ${footerContent(footer.left)} } @bottom-right { content: ${
    footerContent(footer.right)
  } } }
</style>
</head>
<body>
${blocks.map(blockHtml).join("\n")}
</body>
</html>
`;
}

const STYLE = `
@page { size: A4; margin: 18mm 15mm 20mm 25mm }
@page { @bottom-left { font-size: 8pt; color: #7a7a7a } @bottom-right { font-size: 8pt; color: #7a7a7a } }
body { font: 10pt/1.3 Roboto, Arial, sans-serif; margin: 0 }
h1 { font-size: 14pt; text-align: center; margin: 0 0 14pt }
h2 { font-size: 10.5pt; text-align: center; margin: 10pt 0 5pt; break-after: avoid }
p { margin: 0 0 4pt }
.clause { position: relative; padding-left: 32pt; break-inside: avoid }
.number { position: absolute; left: 0 }
.deep { margin-left: 32pt; padding-left: 40pt }
.sides { display: flex; justify-content: space-between; margin-bottom: 12pt }
table { width: 100%; border-collapse: collapse }
.items { font-size: 9pt; margin: 4pt 0 10pt }
.items th, .items td { border: 0.5pt solid #7a7a7a; padding: 3pt 5pt }
.items thead { display: table-header-group }
.items tr { break-inside: avoid }
.items th { background: #f0f0f0; white-space: nowrap }
.items .money { text-align: right; white-space: nowrap }
.items .middle { text-align: center }
.items .label { border: none; text-align: right }
.total { font-weight: bold }
.signatures { break-inside: avoid }
.signatures td { width: 50%; vertical-align: top; padding: 0 14pt 2pt 0 }
.signatures .small { font-size: 9pt }
.signatures .signature { padding-top: 14pt }
.break { break-after: page }`;

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "title":
      return `<h1>${runsHtml(block.runs)}</h1>`;
    case "heading":
      return `<h2>${block.number} ${runsHtml(block.runs)}</h2>`;
    case "clause": {
      const name = block.depth === 2 ? "clause deep" : "clause";
      return `<p class="${name}"><span class="number">${block.number}</span><span>${
        runsHtml(block.runs)
      }</span></p>`;
    }
    case "paragraph":
      return `<p>${runsHtml(block.runs)}</p>`;
    case "sides":
      return `<div class="sides"><span>${runsHtml(block.left)}</span><span>${
        runsHtml(block.right)
      }</span></div>`;
    case "items":
      return itemsHtml(block);
    case "signatures":
      return signaturesHtml(block.sides);
    case "pageBreak":
      return `<div class="break"></div>`;
  }
}

const ITEM_TITLES = ["№", "Наименование", "Кол-во", "Ед.", "Цена, руб.", "Сумма, руб."];

function itemsHtml({ rows, totals }: Extract<Block, { kind: "items" }>): string {
  const cell = (text: string, name = "") => `<td class="${name}">${escaped(text)}</td>`;
  const body = rows.map(({ name, quantity, unit, price, amount }, index) =>
    `<tr>${cell(String(index + 1), "middle")}${cell(name)}${cell(quantity, "money")}${
      cell(unit, "middle")
    }${cell(price, "money")}${cell(amount, "money")}</tr>`
  );
  const foot = totals.map(({ label, amount }, index) =>
    `<tr${index === 0 ? ` class="total"` : ""}><td class="label" colspan="5">${
      escaped(label)
    }</td>${cell(amount, "money")}</tr>`
  );
  const head = ITEM_TITLES.map((title) => `<th>${title}</th>`).join("");
  return `<table class="items"><thead><tr>${head}</tr></thead><tbody>
${[...body, ...foot].join("\n")}
</tbody></table>`;
}

function signaturesHtml(sides: readonly [SignatureSide, SignatureSide]): string {
  const row = (of: (side: SignatureSide) => string, name = "") =>
    `<tr>${sides.map((side) => `<td class="${name}">${of(side)}</td>`).join("")}</tr>`;
  return `<table class="signatures">
${row(({ role }) => `<b>${escaped(role)}</b>`)}
${
    row(
      ({ name, lines }) => [`<b>${escaped(name)}</b>`, ...lines.map(escaped)].join("<br>"),
      "small",
    )
  }
${row(({ position }) => escaped(position), "signature")}
${
    row(
      ({ signatory }) => `____________________ / ${escaped(signatory)} /<br><small>М. П.</small>`,
      "signature",
    )
  }
</table>`;
}

function runsHtml(runs: readonly Run[]): string {
  return runs.map(({ text, bold }) => bold ? `<b>${escaped(text)}</b>` : escaped(text)).join("");
}

/** The value of CSS `content`: strings and counters. */
function footerContent(runs: readonly FooterRun[]): string {
  const parts = runs.map((run) => {
    if ("page" in run) return run.page === "number" ? "counter(page)" : "counter(pages)";
    return `"${
      run.text.replaceAll(/["\\<>\n]/g, (sign) => `\\${sign.codePointAt(0)!.toString(16)} `)
    }"`;
  });
  return parts.join(" ") || `""`;
}

function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (sign) => names[sign]!);
}
