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
        // What every page needs comes in two files: fewer requests, and they compress better.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(router|react-router|query|react-query|history|store|react-store)[^/]*|tailwind-merge|clsx|class-variance-authority|get-nonce|tslib|@floating-ui|react-remove-scroll[^/]*|react-style-singleton|use-callback-ref|use-sidecar|aria-hidden)\//,
            },
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
