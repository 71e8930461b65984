import type { Overlap, Route } from "./values";

// Which executor (0, 1, 2) gets each of three runs.
const targets: Record<Route, readonly (readonly number[])[]> = {
  round: [[0], [1], [2]],
  random: [[1], [0], [1]],
  first: [[0], [0], [0]],
  last: [[2], [2], [2]],
  consistent_hash: [[1], [1], [1]],
  least_frequently_used: [[2], [0], [1]],
  least_recently_used: [[1], [2], [0]],
  failover: [[1], [1], [1]],
  busyover: [[1], [2], [1]],
  least_loaded: [[2], [2], [0]],
  weighted: [[0], [0], [2]],
  broadcast: [
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ],
};

// What marks an executor: away, busy, or a number of tasks.
const marks: Partial<Record<Route, readonly ("" | "away" | "busy" | "1" | "3" | "×2")[]>> = {
  failover: ["away", "", ""],
  busyover: ["busy", "", ""],
  least_loaded: ["3", "3", "1"],
  weighted: ["×2", "", ""],
};

/** Three runs on the left, three executors on the right, and the assignment between them. */
export function RoutePicture({ route, label }: { route: Route; label: string }) {
  const at = (index: number) => 14 + index * 22;
  return (
    <svg role="img" aria-label={label} viewBox="0 0 150 72" className="h-18 w-38 shrink-0 text-accent">
      <title>{label}</title>
      {targets[route].flatMap((to, run) =>
        to.map((executor) => (
          <line
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a run.
            key={`${run}-${executor}`}
            x1={22}
            y1={at(run)}
            x2={96}
            y2={at(executor)}
            stroke="currentColor"
            strokeWidth={1.5}
            strokeDasharray={route === "random" ? "3 3" : undefined}
          />
        )),
      )}
      {[0, 1, 2].map((index) => {
        const mark = marks[route]?.[index];
        return (
          <g key={index}>
            <circle cx={14} cy={at(index)} r={7} fill="currentColor" />
            <text x={14} y={at(index) + 3} textAnchor="middle" fontSize={9} className="fill-accent-ink">
              {index + 1}
            </text>
            <rect
              x={97}
              y={at(index) - 8}
              width={46}
              height={16}
              rx={3}
              className={mark === "away" ? "fill-sunken stroke-control" : "fill-raised stroke-line-strong"}
              strokeDasharray={mark === "away" ? "3 2" : undefined}
            />
            {mark === "away" && (
              <path d={`M114 ${at(index) - 4}l8 8m0-8l-8 8`} className="stroke-bad" strokeWidth={1.5} />
            )}
            {mark === "busy" && <circle cx={120} cy={at(index)} r={4} className="fill-busy" />}
            {mark && mark !== "away" && mark !== "busy" && (
              <text x={120} y={at(index) + 3} textAnchor="middle" fontSize={9} className="fill-soft">
                {mark}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

type Bar = { x: number; w: number; row: number; look: "runs" | "waits" | "gone" };

// The first run comes at 6, the second while it goes on, at 46.
const bars: Record<Overlap, readonly Bar[]> = {
  serial: [
    { x: 6, w: 64, row: 0, look: "runs" },
    { x: 46, w: 24, row: 1, look: "waits" },
    { x: 70, w: 64, row: 1, look: "runs" },
  ],
  discard: [
    { x: 6, w: 64, row: 0, look: "runs" },
    { x: 46, w: 16, row: 1, look: "gone" },
  ],
  cover: [
    { x: 6, w: 40, row: 0, look: "runs" },
    { x: 46, w: 24, row: 0, look: "gone" },
    { x: 46, w: 64, row: 1, look: "runs" },
  ],
  concurrent: [
    { x: 6, w: 64, row: 0, look: "runs" },
    { x: 46, w: 64, row: 1, look: "runs" },
  ],
};

const looks = {
  runs: "fill-accent",
  waits: "fill-sunken stroke-control",
  gone: "fill-bad-tint stroke-bad",
};

/** Two runs on a line of time, the second while the first one goes on. */
export function OverlapPicture({ overlap, label }: { overlap: Overlap; label: string }) {
  return (
    <svg role="img" aria-label={label} viewBox="0 0 140 44" className="h-11 w-35 shrink-0">
      <title>{label}</title>
      <line x1={46.5} x2={46.5} y1={0} y2={40} className="stroke-line-strong" strokeDasharray="2 2" />
      {bars[overlap].map((bar) => (
        <g key={`${bar.row}-${bar.x}`}>
          <rect
            x={bar.x}
            y={4 + bar.row * 18}
            width={bar.w}
            height={12}
            rx={2}
            className={looks[bar.look]}
            strokeDasharray={bar.look === "runs" ? undefined : "3 2"}
          />
          {bar.look === "gone" && (
            <path
              d={`M${bar.x + bar.w / 2 - 3} ${7 + bar.row * 18}l6 6m0-6l-6 6`}
              className="stroke-bad"
              strokeWidth={1.5}
            />
          )}
        </g>
      ))}
      <line x1={2} x2={138} y1={41.5} y2={41.5} className="stroke-line-strong" />
    </svg>
  );
}
