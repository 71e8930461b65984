import { setNonce } from "get-nonce";

const meta =
  typeof document === "undefined" ? null : document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]");

/**
 * The nonce of this page: style elements that libraries add must carry it, or the browser leaves them out
 * (content security policy). Empty while developing, where the policy is not set.
 */
export const nonce = meta?.nonce || meta?.getAttribute("nonce") || "";

if (nonce) setNonce(nonce);
