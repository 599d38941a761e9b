/** What the shipped files of Caddy and nginx let through, and what they say and keep of it. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { recording, SECRET_PATH, secretive, signing, testReceiver } from "../web/support.ts";
import { dial, postHead } from "../web/wire.ts";
import { BODY, HOOK, post, postFrom, startSite, testProxies } from "./support/proxy_site.ts";

const TOKEN = "a-token-that-no-log-may-have";

const OPEN: [path: string, status: number][] = [
  [HOOK, 202],
  [`${HOOK}?from=%2e%2e/ready`, 202],
  [`/hooks/secretive/${SECRET_PATH}`, 202],
  ["/hooks/secretive/wrong", 401],
  ["/health", 404],
];
const CLOSED = [
  ...["/", "/ready", "//ready", "/./ready", "/%72eady", "/ready/", "/metrics", "/hooks"],
  ...["/hooks/../ready", "/hooks/%2e%2e/ready", "/hooks/..%2fready", "/hooks/..%5cready"],
  ...["/hooks/..\\ready", "/hooks/x/../../ready", "/hooks/x/..\\..\\ready", "/hooks/.../ready"],
  ...["/hooks/signing/..", "/hooks/signing/../../ready", "/hooks/signing;/../../ready"],
  ...["/health/../ready", "/health/", "//health", "/HEALTH", "/hooks/%2e%2e%2fready"],
  ...["/hooks/signing/", "/hooks//signing", "//hooks/signing", "/Hooks/signing"],
  ...["/hooks/SIGNING", "/hooks/%73igning", "/hooks/signing%00", "/hooks/secretive/a/b"],
  ...["http://localhost/ready", "http://localhost//ready", "/hooks/signing#/../ready"],
];

testProxies(
  "hooks and /health are open, to the letter; no other writing leads to /ready, none is a redirect (F023)",
  async (start) => {
    await using site = await startSite(start, testReceiver({ sources: { signing, secretive } }));
    const statusOf = async (path: string) => {
      using wire = await site.proxy.dial();
      const { status, head } = await post(wire, path);
      assert(!/^location:/im.test(head), head);
      return status;
    };
    for (const [path, status] of OPEN) assertEquals([path, await statusOf(path)], [path, status]);
    for (const path of CLOSED) {
      const status = await statusOf(path);
      assert(status === 404 || status === 400, `${path}: ${status}`);
    }
    assertEquals(site.receiver.stored.length, 3);
  },
);

testProxies(
  "port 80 says 308, which leaves a POST a POST, and stores nothing (F023)",
  async (start) => {
    await using site = await startSite(start, testReceiver());
    using wire = await dial(site.proxy.httpPort);
    await wire.write(postHead(HOOK, BODY.length, { host: "localhost" }) + BODY);
    const head = await wire.readHead();
    assertMatch(head, /^HTTP\/1.1 308 /);
    assertMatch(head, /^location: https:\/\/localhost\/hooks\/signing\r?$/im);
    assertEquals(site.receiver.stored, []);
  },
);

testProxies(
  "the receiver hears from which address a delivery came, and believes no sender who names another",
  async (start) => {
    const { source, seen } = recording();
    const env = { TRUSTED_PROXIES: "127.0.0.1" };
    await using site = await startSite(start, testReceiver({ source, env }));
    const status = await postFrom("127.0.0.9", site.proxy, {
      "x-forwarded-for": "198.51.100.1",
      "x-real-ip": "198.51.100.1",
      forwarded: "for=198.51.100.1",
    });
    assertEquals(status, 202);
    assertEquals(seen.map(({ remote }) => remote), ["127.0.0.9"]);
    assert(!JSON.stringify([...seen[0]!.headers]).includes("198.51.100.1"));
  },
);

testProxies(
  "neither the secret end of a path nor a header gets into a log, also when no receiver is there",
  async (start) => {
    await using site = await startSite(start, testReceiver({ sources: { secretive } }));
    const path = `/hooks/secretive/${SECRET_PATH}`;
    const send = async (to: string) => {
      using wire = await site.proxy.dial();
      return (await post(wire, to, BODY, { "x-secret-token": TOKEN })).status;
    };
    assertEquals(await send(path), 202);
    assertEquals(await send(`${path}/more`), 404);
    await Promise.all(site.servers.map((server) => server.stop()));
    assert(await send(path) >= 502);
    assert(await send(`${path}?${SECRET_PATH}`) >= 502);
    const logs = await site.proxy.logs();
    assertMatch(logs, /50[23]/);
    assert(!logs.includes(SECRET_PATH) && !logs.includes(TOKEN), logs);
  },
);
