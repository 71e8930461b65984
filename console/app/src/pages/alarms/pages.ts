export { AlarmPage } from "./AlarmPage";
export { AlarmsPage } from "./AlarmsPage";
export { ChannelsPage } from "./channels/ChannelsPage";
export { MessagesPage } from "./MessagesPage";
export { RulesPage } from "./rules/RulesPage";
export { SilencesPage } from "./silences/SilencesPage";
