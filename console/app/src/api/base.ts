/** The folder of the console: the base address of index.html, also behind a proxy path. */
export const consoleURL = new URL(document.baseURI);

/** The address of the API, next to the console, also under a context path. */
export const apiURL = new URL("../api/v1", consoleURL);

/** The path under which the router's routes lie, without a slash at its end. */
export const basePath = consoleURL.pathname.replace(/\/$/, "");
