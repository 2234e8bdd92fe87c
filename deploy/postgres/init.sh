#!/bin/sh
# Runs once, when the server's volume is new: the database, its owner (who migrates), the roles whose rights the
# migrations set, and a login for each. Passwords come from secret files and are never part of a command line.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres --quiet <<SQL
\set owner_password \`cat /run/secrets/owner_password\`
\set api_password \`cat /run/secrets/api_password\`
\set work_password \`cat /run/secrets/work_password\`
\set send_password \`cat /run/secrets/send_password\`
SET log_statement = 'none';
CREATE ROLE antifaz_service NOLOGIN;
CREATE ROLE antifaz_worker NOLOGIN;
CREATE ROLE antifaz_courier NOLOGIN;
CREATE ROLE antifaz_owner LOGIN CREATEROLE PASSWORD :'owner_password';
CREATE ROLE antifaz_api LOGIN PASSWORD :'api_password' IN ROLE antifaz_service;
CREATE ROLE antifaz_work LOGIN PASSWORD :'work_password' IN ROLE antifaz_worker;
CREATE ROLE antifaz_send LOGIN PASSWORD :'send_password' IN ROLE antifaz_courier;
GRANT antifaz_service, antifaz_worker, antifaz_courier TO antifaz_owner WITH ADMIN OPTION;
CREATE DATABASE ${INIT_DATABASE} OWNER antifaz_owner;
REVOKE CONNECT ON DATABASE ${INIT_DATABASE} FROM PUBLIC;
GRANT CONNECT ON DATABASE ${INIT_DATABASE} TO antifaz_service, antifaz_worker;
SQL
# The courier gets no access to the keyring's server.
if [ "$INIT_DATABASE" = antifaz ]; then
    psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres --quiet \
        --command="GRANT CONNECT ON DATABASE antifaz TO antifaz_courier"
fi
