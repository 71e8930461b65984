import "./shell/nonce";
import "./style.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { basePath } from "./api/base";
import { endReads, onSignedOut } from "./api/client";
import { newQueryClient } from "./api/query";
import { routeTree } from "./routes";
import { parseSearch, stringifySearch } from "./shell/search";
import { ToastProvider } from "./ui/Toast";
import { TooltipProvider } from "./ui/Tooltip";
import { endSession } from "./ui/unsaved";
import { language } from "./words";

const queries = newQueryClient();

const router = createRouter({
  routeTree,
  basepath: basePath,
  context: { queries },
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

onSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname === "/sign-in" || endSession()) return;
  queries.clear();
  void router.navigate({ to: "/sign-in", search: { to: href === "/" ? undefined : href } });
});

// A page in the back/forward cache holds no connection, and reads everything again when it comes back: others may have
// changed it, and the user may have signed out.
window.addEventListener("pagehide", () => {
  void queries.cancelQueries();
  endReads();
});
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  void queries.invalidateQueries();
  void router.invalidate();
});

document.documentElement.lang = language();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <TooltipProvider delayDuration={400} skipDelayDuration={200}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
