/**
 * The peers: other job queues on Postgres, as their authors publish them, beside this project and not among its packages.
 * @module
 */
import { fileURLToPath } from "node:url";
import { isFile } from "../demo/postgres/home.ts";

/** What is compared with, and the Node that runs it. Exact versions; the folder is made anew when they change. */
export const PEER_VERSIONS = { "graphile-worker": "0.18.0", "pg-boss": "12.38.0", node: "24.22.3" };

/** Where the peers are, and the command that starts a Node program of theirs. */
export interface Peers {
  readonly folder: string;
  readonly node: string;
}

const FOLDER = fileURLToPath(new URL("../.hookwork/bench-peers", import.meta.url));

/** Installs the peers once; about 130 MB, most of it Node. Throws when a registry or the platform has no Node for us. */
export async function installPeers(log: (line: string) => void): Promise<Peers> {
  const config = JSON.stringify({
    nodeModulesDir: "auto",
    lock: false,
    imports: {
      "graphile-worker": `npm:graphile-worker@${PEER_VERSIONS["graphile-worker"]}`,
      "pg-boss": `npm:pg-boss@${PEER_VERSIONS["pg-boss"]}`,
      [nodePackage()]: `npm:${nodePackage()}@${PEER_VERSIONS.node}`,
    },
  });
  const peers = { folder: FOLDER, node: `${FOLDER}/node_modules/${nodePackage()}/bin/node` };
  const installed = await isFile(`${FOLDER}/installed.json`) &&
    await Deno.readTextFile(`${FOLDER}/installed.json`) === config;
  if (installed) return peers;
  log("Installing the peers (about 130 MB once)");
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(`${FOLDER}/deno.json`, config);
  await install();
  await Deno.chmod(peers.node, 0o755);
  // Last, so that half an installation is not taken for a whole one.
  await Deno.writeTextFile(`${FOLDER}/installed.json`, config);
  return peers;
}

/** Both peers need a newer Node than many machines have, and versions that differ would not compare. */
function nodePackage(): string {
  const arch = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as string];
  if (Deno.build.os === "linux" && arch) return `node-linux-${arch}`;
  throw new Error(
    `Cannot run the peers on ${Deno.build.os}/${Deno.build.arch}: their Node is pinned for Linux; use --no-peers`,
  );
}

async function install(): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet"],
    cwd: FOLDER,
    stdin: "null",
  });
  const { success, stderr } = await command.output();
  if (success) return;
  throw new Error(
    `Cannot install the peers: check the network, or use --no-peers\n${
      new TextDecoder().decode(stderr)
    }`,
  );
}
