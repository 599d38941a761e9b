/** What the shipped files of Caddy and nginx hold off, and which receiver they choose. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { randomSettings } from "../../demo/settings.ts";
import { loadConfig } from "../../lib/base/config.ts";
import { allSettings, openRegistry } from "../../lib/registry.ts";
import { MAX_BODY_BYTES } from "../../lib/web/hook.ts";
import { freePort } from "../support/process.ts";
import { until } from "../support/until.ts";
import { signed, testReceiver } from "../web/support.ts";
import { postHead, writeBlindly } from "../web/wire.ts";
import { startDeafReceiver } from "./support/deaf_receiver.ts";
import { BODY, HOOK, post, startSite, testProxies } from "./support/proxy_site.ts";

const MB = 1_000_000;
/** Longer than the proxies take to end a connection, much shorter than a sender could hold it. */
const CUT_MS = 25_000;

testProxies(
  "a delivery that trickles in is cut off, in its head or in its body, and the others go on (F012)",
  async (start) => {
    await using site = await startSite(start, testReceiver());
    const began = performance.now();
    const trickle = async (first: string) => {
      using wire = await site.proxy.dial();
      await wire.write(first);
      const drop = () => wire.write("a").catch(() => clearInterval(timer));
      const timer = setInterval(drop, 500);
      await wire.ended();
      clearInterval(timer);
    };
    const head = postHead(HOOK, 10_000, { host: "localhost", ...signed(BODY) });
    const slow = Promise.all(
      Array.from({ length: 10 }, (_, index) => trickle(index % 2 ? head : head.slice(0, -4))),
    );
    using wire = await site.proxy.dial();
    assertEquals((await post(wire)).status, 202);
    await slow;
    assertLess(performance.now() - began, CUT_MS);
    assertEquals(site.receiver.stored.length, 1);
  },
);

testProxies(
  "a body over the cap gets its 413, declared or not, and one at the cap goes through",
  async (start) => {
    await using site = await startSite(start, testReceiver());
    for (const bytes of [2 * MB, 8 * MB]) {
      for (const framing of ["declared", "chunked"] as const) {
        using wire = await site.proxy.dial();
        const length = framing === "chunked" ? framing : bytes;
        const head = postHead(HOOK, length, { host: "localhost" });
        // A refusal may end the connection before all is written.
        const written = writeBlindly(wire, head, bytes, framing).catch(() => {});
        assertEquals((await wire.read()).status, 413, `${bytes} ${framing}`);
        await written;
      }
    }
    using wire = await site.proxy.dial();
    const body = `{"id":"${"e".repeat(MAX_BODY_BYTES - 9)}"}`;
    assertEquals([body.length, (await post(wire, HOOK, body)).status], [MAX_BODY_BYTES, 202]);
  },
);

Deno.test("the proxies let through the largest body that any source takes", async () => {
  const settings = { ...randomSettings(), DATABASE_URL: "postgres://127.0.0.1/hookwork" };
  const { sources } = openRegistry(loadConfig(settings, allSettings()));
  const most = Math.max(...[...sources.values()].map((source) => source.maxBodyBytes ?? 0));
  assert(most > MAX_BODY_BYTES);
  for (const name of ["Caddyfile", "nginx.conf"]) {
    const text = await Deno.readTextFile(new URL(`../../deploy/${name}`, import.meta.url));
    const [, mebibytes] = /^\s*(?:max_size|client_max_body_size) (\d+)(?:MiB|m;)$/m.exec(text)!;
    assertLess(most, Number(mebibytes) * 2 ** 20, name);
  }
});

testProxies(
  "a thousand deliveries of 2 KB go over one connection, and over few to the receivers (F145)",
  async (start) => {
    await using site = await startSite(start, testReceiver());
    const body = JSON.stringify({ id: "e1", text: "x".repeat(2000) });
    using wire = await site.proxy.dial();
    for (let count = 1; count <= 1000; count++) {
      const { status, head } = await post(wire, HOOK, body);
      assertEquals([count, status], [count, 202]);
      assert(!/^connection: close$/im.test(head), `closed after ${count}`);
    }
    assertLess(site.connections.size, 10);
  },
);

testProxies("a receiver that is gone gets nothing, and the other one everything", async (start) => {
  await using site = await startSite(start, testReceiver(), freePort());
  using wire = await site.proxy.dial();
  let row = 0;
  const isTaken = async () => row = (await post(wire)).status === 202 ? row + 1 : 0;
  await until("three in a row are taken", async () => await isTaken() === 3);
  for (let count = 0; count < 20; count++) assertEquals((await post(wire)).status, 202);
});

testProxies(
  "a delivery that was sent to a receiver is not sent again, since it may be stored",
  async (start) => {
    await using deaf = startDeafReceiver();
    await using site = await startSite(start, testReceiver(), deaf.port);
    let answered = 0;
    for (let count = 0; count < 10; count++) {
      using wire = await site.proxy.dial();
      if ((await post(wire)).status === 202) answered++;
    }
    assertEquals(site.receiver.stored.length, answered);
    assertEquals(answered + deaf.taken(), 10);
    assert(answered > 0 && deaf.taken() > 0, `${answered} answered`);
  },
);
