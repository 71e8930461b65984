import dagre from "@dagrejs/dagre";
import {
  Background,
  Controls,
  type Edge as FlowEdge,
  type Node as FlowNode,
  Handle,
  MarkerType,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo } from "react";
import { cn } from "@/ui/cn";
import { Duration } from "@/ui/Duration";
import { useWords } from "@/words";
import { conditionOf, type Node } from "./graph";
import { NodeState, type NodeStateName } from "./NodeState";
import { workflowWords } from "./words";

/** A node as it is drawn: with its state when it is that of a run. */
export type DrawnNode = Node & { state?: NodeStateName; started_at?: string; ended_at?: string };

export type GraphProps = {
  nodes: readonly DrawnNode[];
  /** The name of the node at hand. */
  selected?: string;
  onSelect?: (name: string | undefined) => void;
  /** With it edges can be drawn. */
  onConnect?: (from: string, to: string) => void;
  /** With it edges can be removed by Delete. */
  onDisconnect?: (from: string, to: string) => void;
  onRemove?: (name: string) => void;
  label: string;
};

const width = 208;
const height = 64;

function placed(nodes: readonly DrawnNode[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 112, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.name, { width, height });
  for (const node of nodes) {
    for (const edge of node.after ?? []) if (graph.hasNode(edge.node)) graph.setEdge(edge.node, node.name);
  }
  dagre.layout(graph);
  return new Map(
    nodes.map((node) => {
      const at = graph.node(node.name);
      return [node.name, { x: at.x - width / 2, y: at.y - height / 2 }];
    }),
  );
}

type Box = FlowNode<{ node: DrawnNode; editable: boolean }, "job">;

const borders: Record<NodeStateName, string> = {
  waiting: "border-line-strong border-dashed",
  running: "border-busy",
  succeeded: "border-good",
  failed: "border-bad",
  skipped: "border-line-strong border-dashed opacity-70",
  cancelled: "border-line-strong opacity-70",
};

function JobBox({ data, selected }: NodeProps<Box>) {
  const { node, editable } = data;
  const lasted = node.started_at && node.ended_at ? Date.parse(node.ended_at) - Date.parse(node.started_at) : undefined;
  return (
    <div
      style={{ width, height }}
      className={cn(
        "flex flex-col justify-center gap-0.5 rounded-md border bg-raised px-3 text-left",
        node.state ? borders[node.state] : "border-line-strong",
        selected && "outline-2 outline-accent",
      )}
    >
      <Handle
        type="target"
        position={Position.Left}
        isConnectable={editable}
        className={cn("!size-2.5 !min-w-0 rounded-full border border-control bg-raised", !editable && "opacity-0")}
      />
      <span className="truncate font-medium text-sm">{node.name}</span>
      <span className="flex items-center justify-between gap-2 text-xs">
        {node.state ? <NodeState state={node.state} bare /> : <span className="truncate text-soft">{node.job}</span>}
        {lasted !== undefined && <Duration of={lasted} className="text-faint" />}
      </span>
      <Handle
        type="source"
        position={Position.Right}
        isConnectable={editable}
        className={cn("!size-2.5 !min-w-0 rounded-full border border-control bg-accent", !editable && "opacity-0")}
      />
    </div>
  );
}

const types = { job: JobBox };

/** Texts of the drawing for screen readers, in the language of the user. */
function useLabels(editable: boolean) {
  const t = useWords(workflowWords);
  return useMemo(
    () => ({
      "node.a11yDescription.default": t(editable ? "nodeHelp" : "nodeHelpRead"),
      "node.a11yDescription.keyboardDisabled": t(editable ? "nodeHelp" : "nodeHelpRead"),
      "edge.a11yDescription.default": t(editable ? "edgeHelp" : "edgeHelpRead"),
      "controls.ariaLabel": t("zoom"),
      "controls.zoomIn.ariaLabel": t("zoomIn"),
      "controls.zoomOut.ariaLabel": t("zoomOut"),
      "controls.fitView.ariaLabel": t("fitView"),
    }),
    [t, editable],
  );
}

const strokes = { success: "var(--good)", failure: "var(--bad)", always: "var(--control)" };

function Inner({ nodes, selected, onSelect, onConnect, onDisconnect, onRemove, label }: GraphProps) {
  const t = useWords(workflowWords);
  const flow = useReactFlow();
  const editable = Boolean(onConnect);
  const shape = nodes.map((node) => `${node.name}<${(node.after ?? []).map((edge) => edge.node).join()}`).join(";");
  // biome-ignore lint/correctness/useExhaustiveDependencies: places change with names and edges only.
  const places = useMemo(() => placed(nodes), [shape]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another shape is brought into view.
  useEffect(() => {
    const frame = requestAnimationFrame(() => void flow.fitView({ padding: 0.1, maxZoom: 1 }));
    return () => cancelAnimationFrame(frame);
  }, [shape, flow]);
  const boxes = nodes.map(
    (node): Box => ({
      id: node.name,
      type: "job",
      position: places.get(node.name) ?? { x: 0, y: 0 },
      data: { node, editable },
      selected: node.name === selected,
      draggable: false,
      deletable: Boolean(onRemove),
      width,
      height,
      ariaLabel: `${node.name}: ${node.job}`,
    }),
  );
  const edges = nodes.flatMap((node) =>
    (node.after ?? []).map((edge): FlowEdge => {
      const on = conditionOf(edge);
      return {
        id: `${edge.node} ${node.name}`,
        source: edge.node,
        target: node.name,
        label: on === "success" ? undefined : t(on),
        animated: node.state === "running",
        deletable: Boolean(onDisconnect),
        focusable: editable,
        ariaLabel: `${edge.node} → ${node.name}: ${t(on)}`,
        style: { stroke: strokes[on], strokeWidth: 1.5, strokeDasharray: on === "always" ? "4 3" : undefined },
        labelStyle: { fill: "var(--soft)", fontSize: 11 },
        labelBgStyle: { fill: "var(--page)" },
        markerEnd: { type: MarkerType.ArrowClosed, color: strokes[on], width: 16, height: 16 },
      };
    }),
  );
  return (
    <ReactFlow
      aria-label={label}
      ariaLabelConfig={useLabels(editable)}
      nodes={boxes}
      edges={edges}
      nodeTypes={types}
      fitView
      fitViewOptions={{ padding: 0.1, maxZoom: 1 }}
      minZoom={0.2}
      maxZoom={1.5}
      nodesConnectable={editable}
      nodesDraggable={false}
      onNodeClick={(_, node) => onSelect?.(node.id)}
      onPaneClick={() => onSelect?.(undefined)}
      onNodesChange={(changes) => {
        const chosen = changes.find((change) => change.type === "select" && change.selected);
        if (chosen?.type === "select") onSelect?.(chosen.id);
      }}
      onConnect={(line) => onConnect?.(line.source, line.target)}
      onDelete={({ nodes: gone, edges: cut }) => {
        for (const node of gone) onRemove?.(node.id);
        if (gone.length === 0) for (const edge of cut) onDisconnect?.(edge.source, edge.target);
      }}
      deleteKeyCode={editable ? ["Delete", "Backspace"] : null}
      proOptions={{ hideAttribution: true }}
      className="bg-page"
    >
      <Background color="var(--line)" gap={20} />
      <Controls
        showInteractive={false}
        className="[&_button]:!grid [&_button]:size-7 [&_button]:place-items-center [&_button]:border-b [&_button]:bg-raised [&_button_svg]:max-w-3 [&_button_svg]:fill-ink overflow-hidden rounded-md border"
      />
    </ReactFlow>
  );
}

/** The picture itself; it comes with xyflow and dagre, so import Graph. */
export default function GraphInner(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Inner {...props} />
    </ReactFlowProvider>
  );
}
