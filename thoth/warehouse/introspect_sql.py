"""The catalog queries of introspection. Each takes `%(schemas)s`, an array of schema names."""

from __future__ import annotations

SCHEMAS = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname = ANY(%(schemas)s) AND has_schema_privilege(oid, 'USAGE')
"""

# A partition is read through its parent; offering both would count rows twice.
TABLES = """
SELECT c.oid, n.nspname, c.relname, c.relkind::text, obj_description(c.oid, 'pg_class'),
       CASE WHEN c.relkind = 'v' THEN -1 ELSE c.reltuples END
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(%(schemas)s) AND c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition
ORDER BY array_position(%(schemas)s, n.nspname::text), c.relname
"""

COLUMNS = """
SELECT a.attrelid, n.nspname || '.' || c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
       coalesce(b.typname, t.typname), coalesce(b.typcategory, t.typcategory)::text,
       NOT (a.attnotnull OR t.typnotnull), col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd'
WHERE n.nspname = ANY(%(schemas)s) AND c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition
  AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum
"""

# Unique indexes count only when they hold for every row.
KEYS = """
SELECT i.indrelid, i.indisprimary,
       array_agg(a.attname::text ORDER BY k.position)
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(attnum, position)
JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE n.nspname = ANY(%(schemas)s) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
  AND i.indexprs IS NULL AND k.position <= i.indnkeyatts
GROUP BY i.indexrelid, i.indrelid, i.indisprimary
ORDER BY i.indrelid, i.indexrelid
"""

FOREIGN_KEYS = """
SELECT f.conrelid,
       array_agg(a.attname::text ORDER BY k.position),
       rn.nspname || '.' || r.relname,
       array_agg(ra.attname::text ORDER BY k.position)
FROM pg_catalog.pg_constraint f
JOIN pg_catalog.pg_class c ON c.oid = f.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class r ON r.oid = f.confrelid
JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k(attnum, ref_attnum, position)
JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum
JOIN pg_catalog.pg_attribute ra ON ra.attrelid = f.confrelid AND ra.attnum = k.ref_attnum
WHERE f.contype = 'f' AND n.nspname = ANY(%(schemas)s) AND rn.nspname = ANY(%(schemas)s)
  AND NOT r.relispartition
GROUP BY f.oid, f.conrelid, f.conname, rn.nspname, r.relname
ORDER BY f.conrelid, f.conname
"""

# A name passes when all its built-in variants are stable or immutable and none takes or returns an
# internal type. What an extension brings was installed by a superuser and shadows nothing harmful.
FUNCTIONS = """
SELECT p.proname::text
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'pg_catalog' AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_proc o JOIN pg_catalog.pg_namespace s ON s.oid = o.pronamespace
    WHERE o.proname = p.proname AND s.nspname = ANY(%(schemas)s) AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_proc'::regclass
          AND d.objid = o.oid AND d.deptype = 'e'))
GROUP BY p.proname
HAVING bool_and(p.provolatile IN ('i', 's') AND p.prokind IN ('f', 'a', 'w'))
   AND NOT bool_or(EXISTS (
       SELECT FROM pg_catalog.pg_type t
       WHERE t.oid = ANY(p.proargtypes::oid[] || p.prorettype) AND t.typtype = 'p'
         AND t.typname IN ('internal', 'cstring', 'trigger', 'event_trigger', 'language_handler',
                           'fdw_handler', 'tsm_handler', 'index_am_handler', 'table_am_handler')))
ORDER BY 1
"""

# Extensions aside, as above: citext redefines "=", and nobody could write a query any more.
OPERATORS = """
SELECT DISTINCT o.oprname::text
FROM pg_catalog.pg_operator o
JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
WHERE n.nspname = ANY(%(schemas)s) AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_operator'::regclass
      AND d.objid = o.oid AND d.deptype = 'e')
ORDER BY 1
"""
