import { zone } from "@/ui/format";
import { language } from "@/words";
import { reasonIn } from "./reason";

/** A reason of the server in the language in use and in the zone of the user; empty for none. See [reasonIn]. */
export function reasonText(text: string | undefined): string {
  return text ? reasonIn(text, zone, language()).text : "";
}
