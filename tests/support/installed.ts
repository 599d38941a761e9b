/** Programs and libraries that some tests need and not every machine has. */

/** The first of these paths that is a file. */
export function installed(...paths: string[]): string | undefined {
  return paths.find(isFile);
}

/** A test's name; says why it is ignored when what it needs is missing. */
export function nameWith(needed: { [what: string]: string | undefined }, name: string): string {
  const missing = Object.keys(needed).filter((what) => needed[what] === undefined);
  return missing.length === 0 ? name : `${name} (ignored: ${missing.join(", ")} is not installed)`;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
