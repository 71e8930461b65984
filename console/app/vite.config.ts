import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The server adds the base address to the page; while developing, this does. */
const base: Plugin = {
  name: "orth-base",
  apply: "serve",
  transformIndexHtml: (html) => html.replace("<head>", '<head><base href="/console/" />'),
};

/** What a module of a bundle imports at once, and what of it only when it comes to that. */
type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null };

/** The pages that stand first: who comes gets the frame and the dashboard, or signs in before. */
const frame = ["shell/Layout.tsx", "pages/dashboard/DashboardPage.tsx"];
const before = ["main.tsx", "pages/sign-in/SignInPage.tsx"];
const fileOf = (page: string) => new URL(`./src/${page}`, import.meta.url).pathname;

/** All that the pages import, at whatever remove. */
function reached(pages: readonly string[], modules: Modules): Set<string> {
  const all = new Set<string>();
  const open = pages.map(fileOf);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (all.has(id)) continue;
    all.add(id);
    open.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return all;
}

/** Names the file of a module: what the first page needs goes together, and not in dozens of files of a few lines. */
function inFrame(): (id: string, modules: Modules) => string | null {
  let own: Set<string> | null = null;
  return (id, modules) => {
    if (!own) {
      own = reached(frame, modules);
      for (const other of reached(before, modules)) own.delete(other);
      for (const page of frame) own.delete(fileOf(page)); // they are loaded by name
    }
    return own.has(id) ? "frame" : null;
  };
}

export default defineConfig(({ command }) => ({
  base: command === "serve" ? "/console/" : "./",
  plugins: [react(), tailwindcss(), base],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  html: { cspNonce: "__NONCE__" },
  build: {
    target: "es2022",
    manifest: true,
    // The licences of what is in the bundle, for the page about the program.
    license: { fileName: "licenses.json" },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What every page needs comes in few files: fewer requests, and they compress better.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              priority: 1,
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(router|react-router|query|react-query|history|store|react-store)[^/]*|tailwind-merge|clsx|class-variance-authority|get-nonce|tslib|@floating-ui|react-remove-scroll[^/]*|react-style-singleton|use-callback-ref|use-sidecar|aria-hidden)\//,
            },
            { name: inFrame() },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/api": { target: process.env.ORTH_SERVER ?? "http://127.0.0.1:8080" },
    },
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
  },
}));
