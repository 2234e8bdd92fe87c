#!/bin/sh
# Runs once, when the server's volume is new: the database, its owner (who migrates), the two roles whose rights the
# migrations set, and a login for each. Passwords come from secret files and are never part of a command line.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres --quiet <<SQL
\set owner_password \`cat /run/secrets/owner_password\`
\set api_password \`cat /run/secrets/api_password\`
\set work_password \`cat /run/secrets/work_password\`
SET log_statement = 'none';
CREATE ROLE antifaz_service NOLOGIN;
CREATE ROLE antifaz_worker NOLOGIN;
CREATE ROLE antifaz_owner LOGIN CREATEROLE PASSWORD :'owner_password';
CREATE ROLE antifaz_api LOGIN PASSWORD :'api_password' IN ROLE antifaz_service;
CREATE ROLE antifaz_work LOGIN PASSWORD :'work_password' IN ROLE antifaz_worker;
GRANT antifaz_service, antifaz_worker TO antifaz_owner WITH ADMIN OPTION;
CREATE DATABASE ${INIT_DATABASE} OWNER antifaz_owner;
REVOKE CONNECT ON DATABASE ${INIT_DATABASE} FROM PUBLIC;
GRANT CONNECT ON DATABASE ${INIT_DATABASE} TO antifaz_service, antifaz_worker;
SQL
