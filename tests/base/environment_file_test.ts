import { assertEquals, assertThrows } from "@std/assert";
import { parseEnvironmentFile } from "../../lib/base/environment_file.ts";
import { ConfigError } from "../../lib/base/errors.ts";

const read = (text: string) => parseEnvironmentFile(text, "hookwork.env");

function problemsOf(text: string): readonly string[] {
  return assertThrows(() => read(text), ConfigError).problems;
}

// What systemd 252 makes of each is the same: tests/deploy/server_test.ts asks it.
for (
  const [line, value] of [
    [`S='a$b%s"c#d\\e'`, 'a$b%s"c#d\\e'],
    [`S="a\\$b%s\\"c#d\\\\e\\\`"`, 'a$b%s"c#d\\e`'],
    [`S="a$b 'c' \\n"`, "a$b 'c' \\n"],
    [`S=a$b%s"c#d'e`, `a$b%s"c#d'e`],
    ["S=", ""],
    ["S=''", ""],
    ["  S\t= \t a b  # c \t", "a b  # c"],
    ["S=' a '  ", " a "],
    ["S=a=b=", "a=b="],
    ["S=пароль ☃", "пароль ☃"],
    ["S=old\nS=new", "new"],
    ["S=a\r\n", "a"],
  ] as const
) {
  Deno.test(`a secret written as ${JSON.stringify(line)} arrives as ${JSON.stringify(value)}`, () => {
    assertEquals(read(line), { S: value });
  });
}

Deno.test("comments and empty lines of a settings' file set nothing", () => {
  assertEquals(read("# A=1\n\n  ; B=2\n \t\nC=3"), { C: "3" });
});

for (
  const line of [
    "S=a\\b",
    "S='a'b",
    "S='a'\\''b'",
    'S="a" "b"',
    'S="a',
    "S='a",
    'S="a\\"',
    "S=\\a",
    "export S=a",
    "S",
    "S-1=a",
    "# C:\\",
  ]
) {
  Deno.test(`a line that systemd would drop or change is refused by its number: ${line}`, () => {
    const [problem, ...others] = problemsOf(`A=1\n${line}\nB=2`);
    assertEquals([problem?.startsWith("hookwork.env, line 2: "), others], [true, []]);
  });
}

Deno.test("all unfit lines of a settings' file are told at once, and no value of theirs", () => {
  const problems = problemsOf("A=s3cret\\x\nB='s3cret\nexport C=s3cret");
  assertEquals(problems.length, 3);
  assertEquals(problems.filter((problem) => problem.includes("s3cret")), []);
});
