import { aboutRoutes } from "./pages/about/route";
import { alarmsRoutes } from "./pages/alarms/route";
import { auditRoutes } from "./pages/audit/route";
import { backfillsRoutes } from "./pages/backfills/route";
import { calendarsRoutes } from "./pages/calendars/route";
import { dashboardRoutes } from "./pages/dashboard/route";
import { deadLettersRoutes } from "./pages/dead-letters/route";
import { groupsRoutes } from "./pages/groups/route";
import { importRoutes } from "./pages/import/route";
import { jobsRoutes } from "./pages/jobs/route";
import { meRoutes } from "./pages/me/route";
import { namespacesRoutes } from "./pages/namespaces/route";
import { pausesRoutes } from "./pages/pauses/route";
import { runsRoutes } from "./pages/runs/route";
import { secretsRoutes } from "./pages/secrets/route";
import { settingsRoutes } from "./pages/settings/route";
import { signInRoute } from "./pages/sign-in/route";
import { solanaRoutes } from "./pages/solana/route";
import { templatesRoutes } from "./pages/templates/route";
import { timelineRoutes } from "./pages/timeline/route";
import { usersRoutes } from "./pages/users/route";
import { workflowsRoutes } from "./pages/workflows/route";
import { rootRoute, shellRoute } from "./shell/route";

/** All pages: one line an area. */
export const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    ...dashboardRoutes,
    ...timelineRoutes,
    ...jobsRoutes,
    ...templatesRoutes,
    ...runsRoutes,
    ...workflowsRoutes,
    ...deadLettersRoutes,
    ...backfillsRoutes,
    ...groupsRoutes,
    ...solanaRoutes,
    ...calendarsRoutes,
    ...pausesRoutes,
    ...alarmsRoutes,
    ...secretsRoutes,
    ...usersRoutes,
    ...meRoutes,
    ...auditRoutes,
    ...settingsRoutes,
    ...importRoutes,
    ...namespacesRoutes,
    ...aboutRoutes,
  ]),
]);
