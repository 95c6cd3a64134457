-- A lending library. Roles are made by the fixture: lib_owner owns, the reader may SELECT.
CREATE SCHEMA lib;
CREATE SCHEMA archive;
CREATE TYPE lib.channel AS ENUM ('desk', 'web');
CREATE TABLE lib.branches (id int PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE lib.books (
  id int PRIMARY KEY, title text NOT NULL, genre text, published int, price numeric(8,2), extra jsonb,
  tags text[]
);
CREATE TABLE lib.copies (
  branch_id int REFERENCES lib.branches, shelf int, book_id int REFERENCES lib.books, state text,
  PRIMARY KEY (branch_id, shelf)
);
CREATE TABLE lib.readers (
  id bigint PRIMARY KEY, name text, email text UNIQUE, born date, city text, joined_at timestamptz,
  invited_by bigint REFERENCES lib.readers
);
CREATE TABLE lib.loans (
  id bigint PRIMARY KEY, reader_id bigint REFERENCES lib.readers, branch_id int, shelf int,
  lent_on date NOT NULL, returned_at timestamp, fee numeric(6,2), renewals int, via lib.channel,
  deleted_at timestamp, updated_by text,
  FOREIGN KEY (branch_id, shelf) REFERENCES lib.copies (branch_id, shelf)
);
CREATE TABLE lib."Loans" (id int, email text);
CREATE TABLE lib."École" (a int);
CREATE TABLE lib."order" (id int, "user" text, "Total Due" numeric);
CREATE TABLE lib.secrets (k text, v text);
CREATE TABLE archive.loans (id bigint, note text);
CREATE VIEW lib.late AS SELECT id, reader_id, lent_on FROM lib.loans WHERE returned_at IS NULL;
CREATE SEQUENCE lib.tickets;
CREATE FUNCTION lib.wipe() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER
  AS $$ BEGIN DELETE FROM lib.loans; RETURN 1; END $$;
CREATE FUNCTION lib.twice(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 2';

INSERT INTO lib.branches VALUES (1, 'Centro', 'Roma'), (2, 'Porto', 'Genova');
INSERT INTO lib.books SELECT g, 'Libro ' || g, (ARRAY['giallo','saggio',NULL])[1 + g % 3], 1990 + g,
  g * 1.25, jsonb_build_object('pages', g * 100, 'langs', jsonb_build_array('it')), ARRAY['a', 'b' || g]
  FROM generate_series(1, 20) g;
INSERT INTO lib.copies SELECT 1 + g % 2, g, g, 'good' FROM generate_series(1, 20) g;
INSERT INTO lib.readers SELECT g, 'Lettore ' || g, 'r' || g || '@example.test', date '1980-01-01' + g * 100,
  (ARRAY['Roma','Genova'])[1 + g % 2], timestamptz '2020-01-01 10:00+00' + g * interval '1 day',
  CASE WHEN g > 1 THEN g / 2 END FROM generate_series(1, 10) g;
INSERT INTO lib.loans SELECT g, 1 + g % 10, 1 + (1 + g % 20) % 2, 1 + g % 20, date '2024-01-01' + g,
  CASE WHEN g % 4 > 0 THEN timestamp '2024-01-10 12:00' + g * interval '1 day' END, g % 5 * 0.50,
  g % 3, (ARRAY['desk','web'])[1 + g % 2]::lib.channel FROM generate_series(1, 60) g;
INSERT INTO lib."Loans" VALUES (1, 'x@example.test');
INSERT INTO lib."order" VALUES (1, 'u', 9.5);
INSERT INTO lib.secrets VALUES ('api', 's3cr3t');
