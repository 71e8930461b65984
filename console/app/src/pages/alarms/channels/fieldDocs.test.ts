import { describe, expect, it } from "vitest";
import { textIn } from "@/words";
import { channelKinds } from "./channel";
import { fieldDoc, fieldDocWords } from "./fieldDocs";

describe("fieldDoc", () => {
  const say = (key: keyof typeof fieldDocWords.entries) => textIn(fieldDocWords, "zh-CN", key);
  it("says it in the language of the user", () =>
    expect(fieldDoc(say, "email", { name: "user", doc: "who signs in" })).toBe("登录用户名"));
  it("keeps what the server says anew, or of what is not known", () => {
    expect(fieldDoc(say, "email", { name: "user", doc: "who comes in" })).toBe("Who comes in");
    expect(fieldDoc(say, "pigeon", { name: "loft", doc: "where it lives" })).toBe("Where it lives");
  });
  it("is about kinds that there are", () => {
    for (const key of Object.keys(fieldDocWords.entries)) expect(channelKinds).toContain(key.split("_")[0]);
  });
});
