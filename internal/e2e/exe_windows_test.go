package e2e

const exeSuffix = ".exe"
