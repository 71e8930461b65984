// @vitest-environment jsdom
import { act, type ReactNode, useState } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { Field } from "../Field";
import { Input } from "../Input";
import { Form, Submit } from "./Form";
import { type FormState, useForm } from "./useForm";

let root: Root;
let host: HTMLElement;
let form: FormState;
const scrolled = vi.fn();

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  Element.prototype.scrollIntoView = scrolled;
  host = document.body.appendChild(document.createElement("div"));
  root = createRoot(host);
});
afterEach(() => {
  act(() => root.unmount());
  host.remove();
  scrolled.mockClear();
});

/** Lets so many frames pass, each with what it changes. */
async function frames(n: number) {
  for (let i = 0; i < n; i++) await act(() => new Promise<void>((done) => requestAnimationFrame(() => done())));
}
const find = (selector: string) => host.querySelector<HTMLElement>(selector) as HTMLElement;
const field = (name: string) => find(`[data-field="${name}"] input`);
const said = (name: string) => {
  const described = field(name).getAttribute("aria-describedby") ?? "";
  const texts = described.split(" ").map((id) => document.getElementById(id)?.textContent);
  return { invalid: field(name).getAttribute("aria-invalid"), text: texts.join("|") };
};
const nothing = { invalid: null, text: "" };

/** A form with a name, a size that is folded away, and a colour in another view. */
function Sample({ work = async () => {}, more }: { work?: () => Promise<unknown>; more?: ReactNode }) {
  const [name, setName] = useState("");
  const [size, setSize] = useState("");
  const [view, setView] = useState("first");
  form = useForm({
    faults: { name: name ? undefined : "Required", size: /^\d*$/.test(size) ? undefined : "A number" },
    names: { "paint.colour": "colour" },
    reveal: (fields) => fields.some((one) => one.includes("colour")) && setView("second"),
  });
  return (
    <>
      <Form form={form} onSubmit={() => void form.send(work)}>
        {view === "second" && (
          <Field name="colour" label="Colour">
            <Input />
          </Field>
        )}
        <Field name="name" label="Name" required>
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <details>
          <summary>More</summary>
          <Field name="size" label="Size">
            <Input value={size} onChange={(event) => setSize(event.target.value)} />
          </Field>
        </details>
        {more}
      </Form>
      <Submit form={form}>Save</Submit>
    </>
  );
}

const show = (element: ReactNode) => act(() => root.render(element));

function type(input: HTMLElement, text: string) {
  act(() => {
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    set?.call(input, text);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
const leave = (input: HTMLElement) =>
  act(() => void input.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
const submit = () =>
  act(() => void find("form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true })));

describe("Form", () => {
  it("shows nothing before somebody has typed, whatever was focused", () => {
    show(<Sample />);
    leave(field("name"));
    expect(said("name")).toEqual(nothing);
    expect(host.querySelector("[role=alert]")).toBeNull();
    expect(field("name").getAttribute("aria-required")).toBe("true");
  });

  it("shows a fault once its field was typed in and left", () => {
    show(<Sample />);
    type(field("size"), "x");
    expect(said("size")).toEqual(nothing);
    leave(field("size"));
    expect(said("size")).toEqual({ invalid: "true", text: "A number" });
    expect(said("name")).toEqual(nothing);
    type(field("size"), "7");
    expect(said("size")).toEqual(nothing);
  });

  it("leads a refused submit to the first field, counts, and does no work", async () => {
    const work = vi.fn(async () => {});
    show(<Sample work={work} />);
    type(field("size"), "x");
    submit();
    await frames(3);
    expect(work).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(field("name"));
    expect(said("name")).toEqual({ invalid: "true", text: "Required" });
    expect(said("size")).toEqual({ invalid: "true", text: "A number" });
    expect(find("[role=status]").textContent).toBe("2 fields need attention");
    expect(scrolled).toHaveBeenCalled();
  });

  it("opens what a field is folded into", async () => {
    show(<Sample />);
    type(field("name"), "a");
    type(field("size"), "x");
    expect(find("details").hasAttribute("open")).toBe(false);
    submit();
    await frames(3);
    expect(find("details").hasAttribute("open")).toBe(true);
    expect(document.activeElement).toBe(field("size"));
    expect(find("[role=status]").textContent).toBe("1 field needs attention");
  });

  it("puts what the server refuses at its fields until they are changed", async () => {
    const refused = new Problem(422, { code: "invalid", errors: [{ field: "body.size", detail: "is too much" }] });
    show(<Sample work={() => Promise.reject(refused)} />);
    type(field("name"), "a");
    type(field("size"), "9");
    submit();
    await frames(3);
    expect(said("size")).toEqual({ invalid: "true", text: "is too much" });
    expect(document.activeElement).toBe(field("size"));
    expect(host.querySelector("[data-problem]")).toBeNull();
    type(field("size"), "8");
    expect(said("size")).toEqual(nothing);
    expect(find("[role=status]").textContent).toBe("");
  });

  it("shows above its fields what belongs to none, and leads there", async () => {
    const refused = new Problem(422, { code: "invalid", errors: [{ field: "weight", detail: "is missing" }] });
    show(<Sample work={() => Promise.reject(refused)} />);
    type(field("name"), "a");
    submit();
    await frames(12);
    expect(find("form").firstElementChild).toBe(find("[data-problem]"));
    expect(find("[data-problem]").textContent).toContain("is missing");
    expect(document.activeElement).toBe(find("[data-problem]"));
  });

  it("shows another view when the field stands there", async () => {
    const refused = new Problem(422, { code: "invalid", errors: [{ field: "paint.colour", detail: "is no colour" }] });
    show(<Sample work={() => Promise.reject(refused)} />);
    type(field("name"), "a");
    submit();
    await frames(12);
    expect(said("colour")).toEqual({ invalid: "true", text: "is no colour" });
    expect(document.activeElement).toBe(field("colour"));
    expect(host.querySelector("[data-problem]")).toBeNull();
  });

  it("is as new once its work is done", async () => {
    const work = vi.fn(async () => {});
    show(<Sample work={work} />);
    submit();
    type(field("name"), "a");
    submit();
    await frames(2);
    expect(work).toHaveBeenCalledTimes(1);
    type(field("name"), "");
    expect(said("name")).toEqual(nothing);
  });
});
