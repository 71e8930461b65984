export { LogView, type LogViewProps } from "./log/LogView";
