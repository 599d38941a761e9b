import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import {
  arrayLiteral,
  connect,
  errorCode,
  isDataError,
  onceMore,
  StatementDeadlineError,
} from "../../lib/db/db.ts";
import { freshApp, testApp } from "../support/app.ts";
import { asAdmin, testDatabase } from "../support/database.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

Deno.test("arrayLiteral() carries every text through, also what looks like array syntax", async () => {
  await using app = await freshApp();
  const texts = [
    "",
    "NULL",
    "null",
    "a,b",
    "{}",
    '"',
    "\\",
    '\\"',
    "\\N",
    " ",
    "\n\t",
    "'",
    "é😀",
    "$1",
    null,
  ];
  const [row] = await app.db.sql`select to_json(${arrayLiteral(texts)}::text[])::text as array`;
  assertEquals(JSON.parse(row!.array), texts);
});

Deno.test("arrayLiteral() carries numbers, truth values and nothing at all", async () => {
  await using app = await freshApp();
  const read = async (values: Parameters<typeof arrayLiteral>[0], type: string) => {
    const [row] = await app.db.sql.unsafe(`select to_json($1::${type}[])::text as array`, [
      arrayLiteral(values),
    ]);
    return JSON.parse(row!.array);
  };
  assertEquals(await read([0, -1.5, 1e21, 1e-7, null], "float8"), [0, -1.5, 1e21, 1e-7, null]);
  assertEquals(await read([true, false, null], "boolean"), [true, false, null]);
  assertEquals(await read([], "text"), []);
});

Deno.test("a pool that falls silent is replaced, so that the process works again without a restart", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: { statementSeconds: 0.2 } });
  await app.rows`select 1`;
  proxy.freeze();
  await assertRejects(() => app.db.run(app.db.sql`select 1`), StatementDeadlineError, "2200 ms");
  assertEquals(app.db.generation, 1);
  proxy.heal();
  assertEquals([...await app.db.run(app.db.sql`select 2 as two`)], [{ two: 2 }]);
});

Deno.test("many statements that fall silent together replace the pool once", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: { statementSeconds: 0.1 } });
  await Promise.all([1, 2, 3, 4].map(() => app.rows`select pg_sleep(0.05)`));
  proxy.freeze();
  const { sql } = app.db;
  const silent = Array.from({ length: 10 }, () => app.db.run(sql`select 1`));
  const ends = await Promise.allSettled(silent);
  assertEquals(ends.filter(({ status }) => status === "fulfilled"), []);
  assertEquals(app.db.generation, 1);
  proxy.heal();
});

Deno.test("a statement that takes too long is ended by Postgres, and the pool stays (rule 14)", async () => {
  await using app = await freshApp({ connection: { statementSeconds: 0.1 } });
  const error = await assertRejects(() => app.db.run(app.db.sql`select pg_sleep(60)`));
  assertEquals([errorCode(error), app.db.generation], ["57014", 0]);
});

Deno.test("waiting for a connection has a deadline, even when the pool waits for itself", async () => {
  await using app = await freshApp({ connection: { max: 1, statementSeconds: 0.1 } });
  const { sql } = app.db;
  const begun = sql.begin((tx) => tx`select 1`.then(() => app.db.run(app.db.sql`select 1`)));
  await assertRejects(() => begun);
  assertEquals([...await app.db.run(app.db.sql`select 2 as two`)], [{ two: 2 }]);
});

Deno.test("a transaction begins also when every connection is busy", async () => {
  await using app = await freshApp({ connection: { max: 2 } });
  const { sql } = app.db;
  await app.rows`create table things (n integer)`;
  const works = Array.from({ length: 20 }, (_, n) => [
    sql.begin((tx) => tx`insert into things values (${n})`),
    sql`select pg_sleep(0.005)`,
  ]);
  await Promise.all(works.flat());
  assertEquals(await app.rows`select count(*)::int from things`, [{ count: 20 }]);
});

Deno.test("a cut connection fails what is under way at once, and the next statement connects again", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url });
  await app.rows`select 1`;
  const running = assertRejects(() => app.db.run(app.db.sql`select pg_sleep(60)`));
  proxy.cut();
  await running;
  await assertRejects(() => app.db.run(app.db.sql`select 1`));
  proxy.heal();
  await until("statements pass again", () => app.rows`select 1`.then(() => true, () => false));
  assertEquals(app.db.generation, 0);
});

Deno.test("too many connections are an error that ends by itself, not a hang", async () => {
  await using database = await testDatabase();
  const role = `hookwork_test_${crypto.randomUUID().slice(0, 8)}`;
  await asAdmin((admin) =>
    admin.unsafe(`create role ${role} login password 'guest' connection limit 1`)
  );
  try {
    const url = new URL(database.url);
    url.username = role;
    url.password = "guest";
    const [one, other] = [connectTo(url.href), connectTo(url.href)];
    await one.run(one.sql`select 1`);
    const error = await assertRejects(() => other.run(other.sql`select 1`));
    assertEquals([errorCode(error), isDataError(error)], ["53300", false]);
    await one.close();
    await until(
      "a connection is free",
      () => other.run(other.sql`select 1`).then(() => true, () => false),
    );
    await other.close();
  } finally {
    await asAdmin((admin) => admin.unsafe(`drop role ${role}`));
  }
});

Deno.test("no error of a connection shows the password", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  for (
    const [host, path] of [[new URL(proxy.url).host, "/no_such_database"], ["127.0.0.1:1", "/x"]]
  ) {
    const db = connectTo(`postgres://nobody_here:pa55word@${host}${path}`);
    const error = await assertRejects(() => db.run(db.sql`select 1`));
    assert(!Deno.inspect(error).includes("pa55word"), Deno.inspect(error));
    await db.close();
  }
});

Deno.test("only values at fault are an error of the data; a lost connection or a full disk is not", () => {
  const error = (code: string) => Object.assign(new postgres.PostgresError("x"), { code });
  assertEquals(["22P05", "23514", "54000"].map(error).map(isDataError), [true, true, true]);
  assertEquals(["53100", "53300", "57014", "40P01", "08006"].map(error).some(isDataError), false);
  assertEquals(isDataError(Object.assign(new Error("x"), { code: "22000" })), false);
});

Deno.test("onceMore() repeats a deadlock's victim once, and nothing else", async () => {
  const failing = (code: string) => {
    let calls = 0;
    return async () => {
      const work = () => Promise.reject(Object.assign(new Error("x"), { code: (calls++, code) }));
      await assertRejects(() => onceMore(work));
      return calls;
    };
  };
  const codes = ["40P01", "0A000", "23505", "57014", "CONNECTION_CLOSED"];
  assertEquals(await Promise.all(codes.map((code) => failing(code)())), [2, 2, 1, 1, 1]);
});

function connectTo(url: string) {
  return connect({ url, application: "hookwork-test", max: 1, statementSeconds: 1 });
}
