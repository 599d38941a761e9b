import { assert, assertEquals } from "@std/assert";
import { type Column, renderFields, renderTable } from "../../lib/cli/table.ts";

type Row = { id: number; error: string | null };
const columns: Column<Row>[] = [
  { title: "ID", cell: ({ id }) => id, right: true },
  { title: "ERROR", cell: ({ error }) => error, flexible: true },
  { title: "N", cell: () => 7 },
];

Deno.test("renderTable() aligns numbers to the right and shows what is missing as a dash", () => {
  const rows = [{ id: 9, error: "boom" }, { id: 10, error: null }];
  assertEquals(
    renderTable(rows, columns, Infinity),
    ["ID  ERROR  N", " 9  boom   7", "10  -      7"].join("\n"),
  );
});

Deno.test("renderTable() cuts flexible columns, never an id, so that a line fits the terminal", () => {
  const rows = [{ id: 1234567890, error: "x".repeat(200) }];
  const lines = renderTable(rows, columns, 40).split("\n");
  assertEquals(lines.map((line) => line.length), [40, 40]);
  assert(lines[1]!.startsWith("1234567890  xxxxx"));
  assert(lines[1]!.endsWith("x…  7"));
});

Deno.test("renderTable() takes from the widest flexible column first", () => {
  const wide: Column<null>[] = [
    { title: "A", cell: () => "a".repeat(20), flexible: true },
    { title: "B", cell: () => "b".repeat(90), flexible: true },
  ];
  const [, line] = renderTable([null], wide, 52).split("\n");
  assertEquals(line, `${"a".repeat(20)}  ${"b".repeat(29)}…`);
});

Deno.test("renderTable() ends on a terminal that is too narrow for anything", () => {
  const rows = [{ id: 1, error: "x".repeat(50) }];
  assertEquals(renderTable(rows, columns, 1).split("\n")[1], ` 1  ${"x".repeat(11)}…  7`);
});

Deno.test("renderTable() keeps a row on one line, whatever line ends and controls its cells hold", () => {
  const text = renderTable([{ id: 1, error: "a\n\x1b[2Jb" }], columns, Infinity);
  assertEquals(text.split("\n").length, 2);
  assert(text.includes("a\\n\\u001b[2Jb"));
});

Deno.test("renderFields() indents further lines, so that data cannot pose as another field", () => {
  const text = renderFields([["error", "boom\nstatus  done"], ["result", null], ["id", 5]]);
  assertEquals(text, ["  error  boom", "         status  done", "  id     5"].join("\n"));
});
