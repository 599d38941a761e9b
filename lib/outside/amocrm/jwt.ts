/**
 * What an access token says of itself.
 * @module
 */
import { z } from "zod";

const claimsForm = z.object({ exp: z.number() });

/** When a JWT ends; undefined when it does not say. Its signature is amoCRM's business. */
export function tokenEnd(token: string): Date | undefined {
  try {
    const bytes = Uint8Array.fromBase64(token.split(".")[1] ?? "", { alphabet: "base64url" });
    const claims = claimsForm.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return claims.success ? new Date(claims.data.exp * 1000) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
