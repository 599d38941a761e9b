/**
 * The paths of hooks, of which some end in a secret.
 * @module
 */

/** Where a source's deliveries go, below the receiver's address and without a slash before it. */
export function hookPath(source: string, pathSecret?: string): string {
  return pathSecret === undefined ? `hooks/${source}` : `hooks/${source}/${pathSecret}`;
}

/**
 * A path as it may be stored and shown: whatever follows the name of a source is `***`, also where no secret belongs, since
 * an address that was set wrong may hold one.
 */
export function shownPath(path: string): string {
  return path.replace(/(\/hooks\/+[^/]+\/+)[^/].*$/is, "$1***");
}
