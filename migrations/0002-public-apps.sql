-- A public client exchanges codes by PKCE, without its secret.
alter table app add column is_public boolean not null default false;
