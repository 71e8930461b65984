import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { Mark } from "@/shell/Mark";
import { Skeleton } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { failureOf } from "./failure";
import { LanguageLine } from "./LanguageLine";
import { SignIn } from "./SignIn";
import { signInWords } from "./words";

const ChangePassword = lazy(() => import("./ChangePassword").then((m) => ({ default: m.ChangePassword })));

/** Signs in; who has to change the password does that before anything else. */
export function SignInPage() {
  const t = useWords(signInWords);
  const navigate = useNavigate();
  const search = useSearch({ from: "/sign-in" });
  const title = search.change ? t("changeTitle") : t("title");
  useEffect(() => {
    document.title = `${title} · Orth`;
  }, [title]);
  const goOn = () => {
    // Only pages of this console: an address that a stranger wrote leads nowhere else.
    const to = search.to?.startsWith("/") && !search.to.startsWith("//") ? search.to : "/";
    void navigate({ href: to, replace: true } as never).catch(() => navigate({ to: "/" }));
  };
  return (
    <div className="flex min-h-screen flex-col items-center bg-side px-4 pt-[14vh] pb-8">
      <Mark />
      <main className="mt-6 w-full max-w-sm rounded-lg border bg-raised p-6">
        <h1 className="mb-1 text-lg">{title}</h1>
        {search.failed && !search.change && <Failed code={search.failed} />}
        {search.change ? (
          <Suspense fallback={<Skeleton className="mt-4 h-60" />}>
            <ChangePassword onDone={goOn} />
          </Suspense>
        ) : (
          <SignIn
            onDone={goOn}
            onMustChange={() => void navigate({ to: "/sign-in", search: { ...search, change: true } })}
          />
        )}
      </main>
      <LanguageLine />
    </div>
  );
}

/** Why the sign-in at the provider of identities led back here. */
function Failed({ code }: { code: string }) {
  const t = useWords(signInWords);
  return (
    <div role="alert" className="mt-3 flex items-start gap-2.5 rounded-md border border-bad/40 bg-bad-tint px-3 py-2">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 text-sm">
        <p className="font-medium text-bad">{t("failed")}</p>
        <p>{t(failureOf(code))}</p>
      </div>
    </div>
  );
}
