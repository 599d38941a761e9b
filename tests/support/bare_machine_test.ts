import { assertEquals } from "@std/assert";
import { bareCommand, canBeBare } from "./bare_machine.ts";
import { startProcess } from "./process.ts";

const CHECKOUT = new URL("../../", import.meta.url).pathname;
const TEMP = Deno.env.get("TMPDIR") ?? "/tmp";

Deno.test({
  name: "bareCommand() leaves a program no file of this checkout, and one folder to write to",
  ignore: !canBeBare,
}, async () => {
  const writable = await Deno.makeTempDir();
  const script = `
    pwd
    ls ${CHECKOUT}
    for folder in ${writable} ${TEMP} ${CHECKOUT} /; do touch $folder/hookwork-touched 2>/dev/null && echo $folder; done
    env | grep -v -e ^PWD= -e ^_=`;
  const [command, ...args] = bareCommand({ programs: "/bin", writable }, "sh", {
    env: { PATH: "/bin", OURS: "1" },
    args: ["-c", script],
  });
  await using started = await startProcess({ name: "sh", command, args });
  await started.exit;
  assertEquals(started.lines.toSorted(), ["/", "OURS=1", "PATH=/bin", writable].toSorted());
  await Deno.remove(writable, { recursive: true });
});
