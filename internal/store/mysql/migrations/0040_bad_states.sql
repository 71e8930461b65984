-- Nothing: only PostgreSQL writes a changed row into every index anew.
DO 0;
