/** The folder of the console: what index.html's base address says, whatever stands before the server. */
export const consoleURL = new URL(document.baseURI);

/** The address of the API: beside the console, also under a context path. */
export const apiURL = new URL("../api/v1", consoleURL);

/** The path under which the router's routes lie, without a slash at its end. */
export const basePath = consoleURL.pathname.replace(/\/$/, "");
