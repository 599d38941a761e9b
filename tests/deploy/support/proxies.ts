/** The web servers in front of receivers, as Debian has them, with our own files: only ports, names and certificates are the test's. */

import { installed } from "../../support/installed.ts";
import { freePort, startProcess, type TestProcess } from "../../support/process.ts";
import { until } from "../../support/until.ts";
import { dial, type Wire } from "../../web/wire.ts";

const DEPLOY = new URL("../../../deploy/", import.meta.url).pathname;
const DOMAIN = "localhost";
const CERTIFICATE = "/etc/letsencrypt/live/hooks.example.com";

/** A proxy that runs in front of receivers of this machine; gone when the test leaves its scope. */
export interface WebProxy extends AsyncDisposable {
  readonly httpPort: number;
  readonly port: number;
  /** By what its own certificate is proven. */
  readonly caCert: string;
  /** Connects by TLS. */
  dial(): Promise<Wire>;
  /** All that it has written to its logs. */
  logs(): Promise<string>;
}

/** Starts one in front of receivers on these ports. */
export type StartProxy = (receivers: readonly [number, number]) => Promise<WebProxy>;

/** The proxies that Hookwork has a file for, and where each is installed. */
export const PROXIES = {
  caddy: { program: installed("/usr/bin/caddy"), start: startCaddy },
  nginx: { program: installed("/usr/sbin/nginx"), start: startNginx },
} satisfies Record<string, { program: string | undefined; start: StartProxy }>;

async function startCaddy(receivers: readonly [number, number]): Promise<WebProxy> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack);
  const [port, httpPort, admin] = [freePort(), freePort(), freePort()];
  const process = stack.use(
    await startProcess({
      name: "caddy",
      command: PROXIES.caddy.program,
      args: ["run", "--adapter", "caddyfile", "--config", `${DEPLOY}Caddyfile`],
      env: {
        HOOKWORK_DOMAIN: DOMAIN,
        HOOKWORK_RECEIVERS: receivers.map((receiver) => `127.0.0.1:${receiver}`).join(" "),
        HOOKWORK_HTTP_PORT: `${httpPort}`,
        HOOKWORK_HTTPS_PORT: `${port}`,
        CADDY_ADMIN: `127.0.0.1:${admin}`,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
      ready: /certificate obtained successfully/,
    }),
  );
  const caCert = await Deno.readTextFile(`${folder}/caddy/pki/authorities/local/root.crt`);
  const logs = () => Promise.resolve(process.lines.join("\n"));
  return await proxyOf(stack, { process, port, httpPort, caCert, logs });
}

async function startNginx(receivers: readonly [number, number]): Promise<WebProxy> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack);
  const [port, httpPort] = [freePort(), freePort()];
  const caCert = await makeCertificate(folder);
  const shipped = await Deno.readTextFile(`${DEPLOY}nginx.conf`);
  const site = [
    [/^\s*listen \[::\].*$/gm, ""],
    ["listen 80;", `listen 127.0.0.1:${httpPort};`],
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    [/127\.0\.0\.1:8081\b/, `127.0.0.1:${receivers[0]}`],
    [/127\.0\.0\.1:8082\b/, `127.0.0.1:${receivers[1]}`],
    [`${CERTIFICATE}/fullchain.pem`, `${folder}/fullchain.pem`],
    [`${CERTIFICATE}/privkey.pem`, `${folder}/privkey.pem`],
    ["/var/log/nginx/", `${folder}/`],
    [/hooks\.example\.com/g, DOMAIN],
  ].reduce((text, [from, to]) => text.replace(from!, to as string), shipped);
  await Deno.writeTextFile(`${folder}/hookwork.conf`, site);
  // What Debian's own nginx.conf says around it.
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `daemon off; master_process off; pid ${folder}/pid; events {}
     http { client_body_temp_path ${folder}/body; include ${folder}/hookwork.conf; }`,
  );
  const process = stack.use(
    await startProcess({
      name: "nginx",
      command: PROXIES.nginx.program,
      args: ["-c", `${folder}/nginx.conf`, "-e", `${folder}/error.log`],
    }),
  );
  const logs = async () => {
    const [errors, access] = ["error.log", "hookwork.log"].map((name) => `${folder}/${name}`);
    const texts = [Deno.readTextFile(errors!), Deno.readTextFile(access!)];
    return [...process.lines, ...await Promise.all(texts)].join("\n");
  };
  return await proxyOf(stack, { process, port, httpPort, caCert, logs });
}

interface Started {
  readonly process: TestProcess;
  readonly port: number;
  readonly httpPort: number;
  readonly caCert: string;
  logs(): Promise<string>;
}

/** Waits until it answers. */
async function proxyOf(stack: AsyncDisposableStack, started: Started): Promise<WebProxy> {
  const { process, port, httpPort, caCert, logs } = started;
  const dialed = () => dial(port, caCert);
  const why = () => `the proxy takes connections:\n${process.lines.join("\n")}`;
  await until(why, () => dialed().then((wire) => wire[Symbol.dispose]() ?? true, () => false));
  const held = stack.move();
  return {
    port,
    httpPort,
    caCert,
    dial: dialed,
    logs,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "hookwork-proxy-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  return folder;
}

async function makeCertificate(folder: string): Promise<string> {
  const [key, certificate] = [`${folder}/privkey.pem`, `${folder}/fullchain.pem`];
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...[
        "-days",
        "2",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-subj",
        `/CN=${DOMAIN}`,
        "-addext",
        `subjectAltName=DNS:${DOMAIN}`,
      ],
      ...["-keyout", key, "-out", certificate],
    ],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`openssl failed: ${new TextDecoder().decode(stderr)}`);
  return await Deno.readTextFile(certificate);
}
