/** The variable of the environment that gives a setting of the server: lease-ttl is ORTH_LEASE_TTL. */
export const variable = (name: string) => `ORTH_${name.toUpperCase().replaceAll("-", "_").replaceAll(".", "_")}`;
